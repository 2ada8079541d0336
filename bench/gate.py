"""Fails where toolsync has become slower, whatever the machine is busy with.

    python bench/gate.py            compare with bench/gate.json
    python bench/gate.py --update   measure anew and write bench/gate.json
    python bench/gate.py --plant    build a slower core aside, and see that the gate stops it

Instructions are counted by valgrind's callgrind: the same work counts the same on a busy
machine. Without valgrind, or on a Python that has no committed figures, processor time is
compared with `orjson.loads` of the same texts in the same run, with a wider tolerance.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import re
import shutil
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from workloads import REFERENCE, TIMES

BENCH = Path(__file__).parent
ROOT = BENCH.parent
FIGURES = BENCH / "gate.json"
# Another patch release of compiler or Python moves a count by a few per cent.
COUNT_TOLERANCE = 0.10
RATIO_TOLERANCE = 0.60

Figures = dict[str, float]


def main() -> int:
    """Returns 0 where nothing has become slower (or, planted, where the plant was stopped)."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--update", action="store_true", help="write the figures anew")
    parser.add_argument("--plant", action="store_true", help="prove that the gate can fail")
    options = parser.parse_args()
    if options.update:
        return _update()
    if options.plant:
        return _planted()
    return _check(dict(os.environ))


def _check(environment: dict[str, str]) -> int:
    committed = json.loads(FIGURES.read_text("utf-8"))
    counts = committed["instructions"].get(_platform())
    if counts and shutil.which("valgrind"):
        return _verdict("instructions", counts, _count(list(counts), environment), COUNT_TOLERANCE)
    ratios = committed["of orjson.loads"]
    print("no valgrind, or no committed counts for this Python: paired ratios instead")
    return _verdict("of orjson.loads", ratios, _ratios(environment), RATIO_TOLERANCE)


def _verdict(unit: str, committed: Figures, found: Figures, tolerance: float) -> int:
    slower = [name for name in committed if found[name] > committed[name] * (1 + tolerance)]
    for name, before in committed.items():
        mark = "SLOWER" if name in slower else "ok"
        change = found[name] / before - 1
        print(f"{name:24} {before:14,.10g} -> {found[name]:14,.10g}  {change:+7.1%}  {mark}")
    print(f"performance gate ({unit}, tolerance {tolerance:.0%}): {'FAILED' if slower else 'ok'}")
    return bool(slower)


def _platform() -> str:
    return f"cpython-{sys.version_info.major}.{sys.version_info.minor}-{platform.machine()}"


def _count(names: list[str], environment: dict[str, str]) -> Figures:
    """Returns the instructions of each work alone: what a run with it counts above one without."""
    jobs = [(REFERENCE, 0), *((name, TIMES) for name in names)]
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        idle, *counts = pool.map(lambda job: _callgrind(job[0], job[1], environment), jobs)
    return {name: (count - idle) // TIMES for name, count in zip(names, counts, strict=True)}


def _callgrind(name: str, times: int, environment: dict[str, str]) -> int:
    tool = ["valgrind", "--tool=callgrind", f"--callgrind-out-file={os.devnull}"]
    command = [*tool, sys.executable, str(BENCH / "workloads.py"), name, str(times)]
    # A fixed seed and allocator make two runs of the same code count alike.
    fixed = environment | {"PYTHONHASHSEED": "0", "PYTHONDONTWRITEBYTECODE": "1"}
    done = subprocess.run(command, env=fixed, check=True, capture_output=True, text=True)
    collected = re.search(r"Collected : (\d+)", done.stderr)
    if collected is None:
        raise RuntimeError(f"valgrind printed no count: {done.stderr[-500:]}")
    return int(collected[1])


def _ratios(environment: dict[str, str]) -> Figures:
    code = (
        "import json, paired, workloads; works = workloads.prepare()\n"
        f"reference = works.pop({REFERENCE!r})\n"
        "print(json.dumps({n: round(paired.ratio(w, reference, 9), 4) for n, w in works.items()}))"
    )
    path = os.pathsep.join(filter(None, (environment.get("PYTHONPATH"), str(BENCH))))
    command = [sys.executable, "-c", code]
    done = subprocess.run(
        command, env=environment | {"PYTHONPATH": path}, check=True, capture_output=True, text=True
    )
    ratios: Figures = json.loads(done.stdout)
    return ratios


def _update() -> int:
    environment = dict(os.environ)
    ratios = _ratios(environment)
    committed = json.loads(FIGURES.read_text("utf-8")) if FIGURES.exists() else {"instructions": {}}
    committed["instructions"][_platform()] = _count(list(ratios), environment)
    committed["of orjson.loads"] = ratios
    FIGURES.write_text(json.dumps(committed, indent=2) + "\n", encoding="utf-8")
    return _check(environment)


# What a careless change might do: a quarter of the tools is projected twice.
PLANT = """

_once = projection


def projection(text):
    if len(text) % 4 == 0:
        _once(text)
    return _once(text)
"""


def _planted() -> int:
    """Builds a slower core beside this tree and expects the gate to refuse it."""
    if _platform() not in json.loads(FIGURES.read_text("utf-8"))["instructions"]:
        print("no committed counts for this Python: ratios of time are too coarse for the plant")
        return 0
    with tempfile.TemporaryDirectory() as directory:
        there = Path(directory)
        ignored = shutil.ignore_patterns("*.so", "*.pyd", "__pycache__", "*.egg-info")
        shutil.copytree(ROOT / "src", there / "src", ignore=ignored)
        for name in ("setup.py", "pyproject.toml", "README.md", "LICENSE"):
            shutil.copy(ROOT / name, there)
        with (there / "src" / "toolsync" / "_diff.pyx").open("a", encoding="utf-8") as core:
            core.write(PLANT)
        build = [sys.executable, "setup.py", "-q", "build_ext", "--inplace"]
        subprocess.run(build, cwd=there, check=True, capture_output=True)
        refused = _check(dict(os.environ) | {"PYTHONPATH": str(there / "src")})
    print("the planted slowdown was", "stopped" if refused else "NOT stopped")
    return not refused


if __name__ == "__main__":
    sys.exit(main())
