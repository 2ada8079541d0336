"""How many bytes a token takes in tool definitions: the figure that `--stat` divides by.

`pip install rs-bpe`, then `python bench/token_estimate.py FOLDER`, with a folder of catalogues of
real servers. Every tool is measured as a model is shown it (`report/cost.py`).
"""

from __future__ import annotations

import sys
from importlib import import_module
from pathlib import Path
from statistics import quantiles

import toolsync
from toolsync.report.cost import sent

VOCABULARIES = ("o200k_base", "cl100k_base")


def _tools(folder: Path) -> list[bytes]:
    texts: set[bytes] = set()  # a tool that did not change between two versions counts once
    for path in sorted(folder.rglob("*.json")):
        try:
            texts.update(map(sent, toolsync.load(path)))
        except toolsync.ToolsyncError as error:
            print(f"left out: {error}", file=sys.stderr)
    return sorted(texts)


def main(folder: str) -> None:
    """Prints for each vocabulary the bytes a token, over all tools and over 90 % of them."""
    texts = _tools(Path(folder))
    for name in VOCABULARIES:
        vocabulary = getattr(import_module("rs_bpe.bpe").openai, name)()
        counts = [vocabulary.count(text.decode()) for text in texts]
        each = [len(text) / count for text, count in zip(texts, counts, strict=True)]
        low, *_, high = quantiles(each, n=20)
        whole = sum(map(len, texts)) / sum(counts)
        print(f"{name}: {len(texts):,} tools, {whole:.2f} bytes a token, {low:.1f} to {high:.1f}")


if __name__ == "__main__":
    main(sys.argv[1])
