"""Draws one kind of picture: lines over two logarithmic axes, as a self-contained SVG."""

from __future__ import annotations

import math
from dataclasses import dataclass
from html import escape
from itertools import cycle, pairwise

WIDTH, HEIGHT = 760, 460
LEFT, RIGHT, TOP, BOTTOM = 70, 200, 50, 60
COLOURS = (
    "#0b6e4f", "#56a37f", "#444", "#1f5fa8", "#b3541e", "#8a2b8f", "#a5272b", "#6b6b00", "#00707a",
)  # fmt: skip
STYLE = "text{font:13px sans-serif;fill:#222}.title{font-weight:600;font-size:15px}"

Points = list[tuple[float, float]]


@dataclass(frozen=True, slots=True)
class Axis:
    """A logarithmic axis over whole decades, laid on a stretch of pixels."""

    first: int
    last: int
    start: float
    end: float

    def place(self, value: float) -> float:
        """Returns the pixel at which the value stands."""
        share = (math.log10(value) - self.first) / (self.last - self.first)
        return self.start + share * (self.end - self.start)

    def decades(self) -> list[float]:
        """Returns the values at which a grid line stands."""
        return [10.0**power for power in range(self.first, self.last + 1)]


def line_chart(title: str, across: str, up: str, series: dict[str, Points]) -> str:
    """Returns the picture of the series, each named beside its last point."""
    points = [point for line in series.values() for point in line]
    x = _axis([point[0] for point in points], LEFT, WIDTH - RIGHT)
    y = _axis([point[1] for point in points], HEIGHT - BOTTOM, TOP)
    middle = (TOP + HEIGHT - BOTTOM) / 2
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" role="img">',
        f"<title>{escape(title)}</title><style>{STYLE}</style>",
        f'<rect width="{WIDTH}" height="{HEIGHT}" fill="#fff"/>',
        _text(LEFT, TOP - 22, title, 'class="title"'),
        _text((LEFT + WIDTH - RIGHT) / 2, HEIGHT - 16, across, 'text-anchor="middle"'),
        _text(18, middle, up, f'text-anchor="middle" transform="rotate(-90 18 {middle:.0f})"'),
        *_grid(x, y),
        *_lines(x, y, series),
        "</svg>",
    ]
    return "\n".join(parts) + "\n"


def _axis(values: list[float], start: float, end: float) -> Axis:
    first, last = math.floor(math.log10(min(values))), math.ceil(math.log10(max(values)))
    return Axis(first, max(last, first + 1), start, end)


def _text(x: float, y: float, words: str, more: str = "") -> str:
    return f'<text x="{x:.0f}" y="{y:.0f}" {more}>{escape(words)}</text>'


def _grid(x: Axis, y: Axis) -> list[str]:
    parts = []
    for value in x.decades():
        at = x.place(value)
        parts.append(f'<path d="M{at:.1f} {y.start}V{y.end}" stroke="#e2e2e2"/>')
        parts.append(_text(at, y.start + 18, f"{value:,.0f}", 'text-anchor="middle"'))
    for value in y.decades():
        at = y.place(value)
        parts.append(f'<path d="M{x.start} {at:.1f}H{x.end}" stroke="#e2e2e2"/>')
        parts.append(_text(x.start - 8, at + 4, f"{value:,.10g}", 'text-anchor="end"'))
    return parts


def _lines(x: Axis, y: Axis, series: dict[str, Points]) -> list[str]:
    parts = []
    labels = _spread({name: y.place(line[-1][1]) for name, line in series.items()})
    for colour, (name, line) in zip(cycle(COLOURS), series.items(), strict=False):
        places = [(x.place(across), y.place(up)) for across, up in line]
        path = "L".join(f"{across:.1f} {up:.1f}" for across, up in places)
        dots = "".join(f"M{across:.1f} {up:.1f}h.01" for across, up in places)
        stroke = f'fill="none" stroke="{colour}" stroke-linecap="round"'
        parts.append(f'<path d="M{path}" {stroke} stroke-width="2"/>')
        parts.append(f'<path d="{dots}" {stroke} stroke-width="6"/>')
        (right, height), beside = places[-1], WIDTH - RIGHT + 14
        leader = f"M{right:.1f} {height:.1f}L{beside - 4} {labels[name]:.1f}"
        parts.append(f'<path d="{leader}" {stroke} stroke-dasharray="1 4"/>')
        parts.append(_text(beside, labels[name] + 4, name, f'style="fill:{colour}"'))
    return parts


def _spread(heights: dict[str, float], gap: float = 16) -> dict[str, float]:
    """Moves labels apart that would lie on one another, each as little as that needs."""
    placed = dict(sorted(heights.items(), key=lambda item: item[1]))
    for _ in range(200):
        for above, below in pairwise(placed):
            missing = gap - (placed[below] - placed[above])
            if missing > 0:
                placed[above] -= missing / 2
                placed[below] += missing / 2
    return placed
