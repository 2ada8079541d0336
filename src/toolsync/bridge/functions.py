"""Function lists: the plain list of tools that an OpenAI or Anthropic style loop sends along.

The list stays the same object and keeps what its host put there; of the live tools,
exactly those that differ are exchanged, and new ones follow at the end.
"""

from __future__ import annotations

import inspect
import json
import logging
from collections.abc import Awaitable, Callable, Iterable, Mapping
from itertools import chain, count
from keyword import iskeyword
from typing import Any, Final, Literal, Protocol

from toolsync.catalog import Catalog, Tool
from toolsync.changes import Changes
from toolsync.live import shapes
from toolsync.live.shapes import Shape, name_of
from toolsync.safe import named

log = logging.getLogger(__name__)

ShapeName = Literal["mcp", "openai", "openai-responses", "anthropic"]
Call = Callable[[str, dict[str, Any]], Awaitable[Any]]

_TYPES: Final[Mapping[Any, type]] = {
    "string": str, "integer": int, "number": float, "boolean": bool, "array": list, "object": dict,
}  # fmt: skip


class Served(Protocol):
    """What a list is filled from: a session of a hub."""

    @property
    def catalog(self) -> Catalog:
        """The tools that the session sees."""

    def served(self, catalog: Catalog) -> None:
        """Takes note that the session has been given these tools."""


def _own(shape: Shape) -> Shape:
    """Makes elements that are copies: what a loop does to its list must not reach the catalogue."""
    return lambda tool: json.loads(json.dumps(shape(tool)))


def _responses(tool: Tool) -> dict[str, Any]:
    return {"type": "function", **shapes.SHAPES["openai"](tool)["function"]}


SHAPES: Final[Mapping[str, Shape]] = {
    **{name: _own(shape) for name, shape in shapes.SHAPES.items()},
    "openai-responses": _own(_responses),
}
"""What APIs take: MCP's own form, OpenAI's chat completions and responses, Anthropic's messages."""


def callables(call: Call) -> Shape:
    """Gives the shape for lists of Python callables: each runs its tool through `call`.

    Name, docstring and signature are those of the definition, which is also its
    `definition`. Arguments go by keyword.
    """

    def shape(tool: Tool) -> Callable[..., Awaitable[Any]]:
        async def run(**arguments: Any) -> Any:
            return await call(tool.name, arguments)

        definition = SHAPES["mcp"](tool)
        run.__name__ = run.__qualname__ = tool.name
        run.__doc__ = definition.get("description")
        parameters = list(_parameters(definition.get("inputSchema", {})))
        run.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]  # read by inspect
        run.__annotations__ = {each.name: each.annotation for each in parameters}
        run.definition = definition  # type: ignore[attr-defined]  # functions take attributes
        return run

    return shape


class FunctionList:
    """A hub's adapter to one list: what it holds of the catalogue follows the catalogue.

    An element that the host itself put there keeps its place and its name: a live tool
    of the same name is left out, with a warning.
    """

    live = True

    def __init__(self, target: list[Any], shape: ShapeName | Shape = "openai") -> None:
        self._target = target
        if isinstance(shape, str) and shape not in SHAPES:
            raise ValueError(f"shape: expected {', '.join(SHAPES)} or a function, got {shape!r}")
        self._shape = SHAPES[shape] if isinstance(shape, str) else shape
        self._placed: dict[str, tuple[Tool, Any]] = {}
        self.warnings: tuple[str, ...] = ()

    def fill(self, session: Served) -> None:
        """Puts the session's tools into the list, as it begins."""
        catalog = session.catalog
        self._follow(catalog)
        session.served(catalog)

    async def apply(self, catalog: Catalog, changes: Changes) -> str:  # noqa: ARG002  an adapter's signature
        """Exchanges the tools that differ, all at once."""
        return "applied" if self._follow(catalog) else "unchanged"

    async def close(self) -> None:
        """Leaves the list as it is: the session has ended, and its host owns the list."""

    def _follow(self, catalog: Catalog) -> bool:
        made = {tool.name: (tool, self._element(tool)) for tool in catalog}
        ours = {id(element): name for name, (_, element) in self._placed.items()}
        taken = {name_of(each) for each in self._target if id(each) not in ours}
        self._warn(made.keys() & taken)
        free = {name: element for name, (_, element) in made.items() if name not in taken}
        elements = list(_arranged(self._target, ours, free))
        self._placed = {name: made[name] for name in free}
        if _same(elements, self._target):
            return False
        self._target[:] = elements  # one assignment: nobody sees half of it
        return True

    def _element(self, tool: Tool) -> Any:
        placed = self._placed.get(tool.name)
        if placed is not None and (placed[0] is tool or placed[0].digest == tool.digest):
            return placed[1]
        return self._shape(tool)

    def _warn(self, clashing: Iterable[str]) -> None:
        now = tuple(
            f"tool {named(name)} is left out: the list has another of that name"
            for name in sorted(clashing)
        )
        for warning in now:
            if warning not in self.warnings:
                log.warning("%s", warning)
        self.warnings = now


def _arranged(target: list[Any], ours: dict[int, str], free: dict[str, Any]) -> Iterable[Any]:
    """Yields what stays, in its place, and then what is new."""
    rest = dict(free)
    for element in target:
        name = ours.get(id(element))
        if name is None:
            yield element
        elif name in rest:
            yield rest.pop(name)
    yield from rest.values()


def _same(one: list[Any], other: list[Any]) -> bool:
    return len(one) == len(other) and all(a is b for a, b in zip(one, other, strict=True))


def _parameters(schema: Any) -> Iterable[inspect.Parameter]:
    """Yields the parameters of a schema's properties; `**more` for what cannot be a name."""
    whole = schema if isinstance(schema, Mapping) else {}
    properties = whole.get("properties")
    properties = properties if isinstance(properties, Mapping) else {}
    fitting = [name for name in properties if name.isidentifier() and not iskeyword(name)]
    for name in fitting:
        yield _parameter(name, properties[name], whole.get("required"))
    if len(fitting) < len(properties) or not properties:
        words = chain(["more"], map("more{}".format, count()))
        more = next(word for word in words if word not in properties)
        yield inspect.Parameter(more, inspect.Parameter.VAR_KEYWORD, annotation=Any)


def _parameter(name: str, schema: Any, required: Any) -> inspect.Parameter:
    needed = isinstance(required, list) and name in required
    default = inspect.Parameter.empty if needed else None
    kind = inspect.Parameter.KEYWORD_ONLY
    return inspect.Parameter(name, kind, default=default, annotation=_type(schema))


def _type(schema: Any) -> Any:
    kind = schema.get("type") if isinstance(schema, Mapping) else None
    return _TYPES.get(kind, Any) if isinstance(kind, str) else Any
