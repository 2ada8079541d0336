"""Elements of a page, put together as a tree, so that no text can become markup."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from xml.etree import ElementTree as ET

from toolsync.report.inline import parts
from toolsync.safe import safe_json, safe_text

Element = ET.Element


def element(
    tag: str, attributes: Mapping[str, str] | None = None, *children: Element | str
) -> Element:
    """Makes an element; a child that is a text is made safe, and escaped when it is written."""
    made = ET.Element(tag, {key: safe_text(value) for key, value in (attributes or {}).items()})
    for child in children:
        if not isinstance(child, str):
            made.append(child)
        elif len(made):
            made[-1].tail = (made[-1].tail or "") + safe_text(child)
        else:
            made.text = (made.text or "") + safe_text(child)
    return made


def verbatim(tag: str, attributes: Mapping[str, str], text: str) -> Element:
    """Makes a `script` or `style`: its text is written as it is, so it must not end it.

    Raises ValueError where it could: no text of a catalogue comes here but as JSON.
    """
    if "</" in text or "<!" in text:
        raise ValueError(f"text of <{tag}>: holds the beginning of markup")
    made = element(tag, attributes)
    made.text = text
    return made


def sentence(text: str) -> Iterable[Element | str]:
    """Returns the children that show a sentence, its code as code."""
    return [element("code", {}, part.text) if part.code else part.text for part in parts(text)]


def written(root: Element) -> str:
    """Returns the HTML text of a tree; whatever is unsafe and got this far is shown escaped."""
    text = ET.tostring(root, encoding="unicode", method="html")
    return text if text.isascii() else safe_json(text)
