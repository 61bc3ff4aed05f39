"""Axes of an SVG figure: linear or logarithmic scales, ticks, curves, points, bars. Colours and fonts come from report.css."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from html import escape

LEFT, RIGHT, TOP, BOTTOM = 58, 14, 14, 42


class Axes:
    """A figure of `width` x `height` with x and y from `x` and `y` = (low, high); logarithmic ones in powers of ten."""

    def __init__(
        self,
        width: int,
        height: int,
        x: tuple[float, float],
        y: tuple[float, float],
        *,
        log_x=False,
        log_y=False,
        x_label="",
        y_label="",
        title="",
    ):
        self.width, self.height, self.log = width, height, (log_x, log_y)
        self.ranges: tuple[tuple[float, float], tuple[float, float]] = (
            _decades(*x) if log_x else x,
            _decades(*y) if log_y else y,
        )
        self.parts: list[str] = []
        self._frame(x_label, y_label, title)

    def place(self, x: float, y: float) -> tuple[float, float]:
        """Where a value stands, in pixels."""
        across, up = (self._share(value, k) for k, value in enumerate((x, y)))
        return LEFT + across * (self.width - LEFT - RIGHT), self.height - BOTTOM - up * (self.height - TOP - BOTTOM)

    def curve(self, points: Sequence[tuple[float, float]], style: str, method: str = "") -> None:
        """A polyline; points that cannot be shown are left out."""
        shown = [self.place(*point) for point in points if self._visible(*point)]
        if len(shown) > 1:
            path = "M" + "L".join(f"{x:.1f} {y:.1f}" for x, y in shown)
            self.parts.append(f'<path class="curve {style}" {_data(method)}d="{path}"/>')

    def point(self, x: float, y: float, style: str, tip: str, method: str = "", radius: float = 3.4) -> None:
        """A mark with a text that is shown beside it."""
        if self._visible(x, y):
            px, py = self.place(x, y)
            self.parts.append(
                f'<circle class="mark {style}" {_data(method)}cx="{px:.1f}" cy="{py:.1f}" r="{radius}" data-tip="{escape(tip)}"/>'
            )

    def level(self, y: float, text: str) -> None:
        """A horizontal line with its name."""
        _, py = self.place(self.ranges[0][0], y)
        right = self.width - RIGHT
        self.parts.append(f'<line class="level" x1="{LEFT}" x2="{right}" y1="{py:.1f}" y2="{py:.1f}"/>')
        self.parts.append(
            f'<text class="note" x="{right - 4}" y="{py - 5:.1f}" text-anchor="end">{escape(text)}</text>'
        )

    def moment(self, x: float, text: str) -> None:
        """A vertical line with its name."""
        px, _ = self.place(x, self.ranges[1][0])
        bottom = self.height - BOTTOM
        self.parts.append(
            f'<line class="level" x1="{px:.1f}" x2="{px:.1f}" y1="{TOP}" y2="{bottom}" data-tip="{escape(text)}"/>'
        )

    def svg(self, label: str) -> str:
        """The figure."""
        body = "".join(self.parts)
        box = f'viewBox="0 0 {self.width} {self.height}"'
        return f'<svg {box} role="img" aria-label="{escape(label)}" class="figure">{body}</svg>'

    def _share(self, value, k):
        low, high = self.ranges[k]
        if self.log[k]:
            low, high, value = math.log10(low), math.log10(high), math.log10(value)
        return (value - low) / (high - low)

    def _visible(self, x, y):
        for k, value in enumerate((x, y)):
            if not math.isfinite(value) or (self.log[k] and value <= 0.0):
                return False
            if not -1e-9 <= self._share(value, k) <= 1.0 + 1e-9:
                return False
        return True

    def _frame(self, x_label, y_label, title):
        right, bottom = self.width - RIGHT, self.height - BOTTOM
        for value, text in self._ticks(0):
            px, _ = self.place(value, self.ranges[1][0])
            self.parts.append(f'<line class="grid" x1="{px:.1f}" x2="{px:.1f}" y1="{TOP}" y2="{bottom}"/>')
            self.parts.append(f'<text class="tick" x="{px:.1f}" y="{bottom + 16}" text-anchor="middle">{text}</text>')
        for value, text in self._ticks(1):
            _, py = self.place(self.ranges[0][0], value)
            self.parts.append(f'<line class="grid" x1="{LEFT}" x2="{right}" y1="{py:.1f}" y2="{py:.1f}"/>')
            self.parts.append(f'<text class="tick" x="{LEFT - 7}" y="{py + 3.5:.1f}" text-anchor="end">{text}</text>')
        middle = 0.5 * (LEFT + right)
        self.parts.append(
            f'<text class="label" x="{middle:.0f}" y="{self.height - 6}" text-anchor="middle">{escape(x_label)}</text>'
        )
        turn = f'transform="translate(13 {0.5 * (TOP + bottom):.0f}) rotate(-90)"'
        self.parts.append(f'<text class="label" {turn} text-anchor="middle">{escape(y_label)}</text>')
        if title:
            self.parts.append(f'<text class="heading" x="{LEFT + 8}" y="{TOP + 16}">{escape(title)}</text>')

    def _ticks(self, k) -> Iterable[tuple[float, str]]:
        low, high = self.ranges[k]
        if not self.log[k]:
            return _round_ticks(low, high)
        first, last = round(math.log10(low)), round(math.log10(high))
        stride = max(1, math.ceil((last - first) / (8 if k == 0 else 7)))
        return [(10.0**p, _power(p)) for p in range(first, last + 1) if (p - last) % stride == 0]


def bars(entries: Sequence[tuple[str, float, str, str]], unit: str, width: int = 640) -> str:
    """Horizontal bars: (name, value, style, tip) from top to bottom."""
    names, height, parts = 275, 20, []
    largest = max((value for _, value, _, _ in entries), default=1.0)
    for k, (name, value, style, tip) in enumerate(entries):
        y, length = 4 + k * height, (width - names - 90) * value / largest
        parts.append(f'<text class="tick" x="{names - 8}" y="{y + 12}" text-anchor="end">{escape(name)}</text>')
        parts.append(
            f'<rect class="bar {style}" {_data(name)}x="{names}" y="{y + 2}" width="{max(length, 1.5):.1f}" '
            f'height="{height - 7}" rx="2" data-tip="{escape(tip)}"/>'
        )
        parts.append(f'<text class="tick" x="{names + length + 6:.1f}" y="{y + 12}">{value:.3g} {escape(unit)}</text>')
    total = 8 + height * len(entries)
    return f'<svg viewBox="0 0 {width} {total}" role="img" class="figure">{"".join(parts)}</svg>'


def _decades(low: float, high: float) -> tuple[float, float]:
    a, b = math.floor(math.log10(low)), math.ceil(math.log10(high))
    return 10.0**a, 10.0 ** max(b, a + 1)


def _round_ticks(low, high):
    raw = (high - low) / 6.0
    size = 10.0 ** math.floor(math.log10(raw))
    step = next(size * m for m in (1, 2, 5, 10) if size * m >= raw)
    first = math.ceil(low / step - 1e-9)
    return [(k * step, f"{k * step:g}") for k in range(first, math.floor(high / step + 1e-9) + 1)]


def _power(p):
    exponent = str(p).replace("-", "\N{MINUS SIGN}")
    return f'10<tspan class="power" dy="-4">{exponent}</tspan>'


def _data(method):
    return f'data-method="{escape(method)}" ' if method else ""
