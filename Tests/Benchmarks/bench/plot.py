"""The chart of a run: rate and processor time of each workload beside those of the floor, by connections."""

from html import escape

PANEL_WIDTH, PANEL_HEIGHT, MARGIN, HEADER = 340, 190, 54, 60
SERVER, FLOOR, INK, PAPER = "#2f6f9f", "#c9c4b8", "#333333", "#ffffff"
PANELS = [("requests_per_second", "requests/s: more is better"), ("cpu_us", "CPU µs per request: less is better")]


def plot(run):
    workloads = run.get("through_nginx") or {}
    width = len(PANELS) * PANEL_WIDTH + MARGIN
    height = HEADER + len(workloads) * PANEL_HEIGHT
    shapes = [
        f'<rect width="{width}" height="{height}" fill="{PAPER}"/>',
        text(MARGIN / 2, 24, f"Gatehouse {run['commit']}, {run['at']}", size=15),
        swatch(MARGIN / 2, 36, SERVER, "Gatehouse"),
        swatch(MARGIN / 2 + 110, 36, FLOOR, "floor: an empty FastCGI server")]
    for row, (workload, cells) in enumerate(workloads.items()):
        for column, (figure, title) in enumerate(PANELS):
            left, top = MARGIN + column * PANEL_WIDTH, HEADER + row * PANEL_HEIGHT
            shapes += panel(left, top, f"{workload}: {title}", figure, cells)
    return (f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}" '
            f'font-family="sans-serif">\n' + "\n".join(shapes) + "\n</svg>\n")


def panel(left, top, title, figure, cells):
    width, height, base = PANEL_WIDTH - MARGIN, PANEL_HEIGHT - 66, top + PANEL_HEIGHT - 40
    most = max(side[figure]["range"][1] for cell in cells.values() for side in sides(cell).values()) or 1
    shapes = [text(left, top + 14, title, size=12), line(left, base, left + width, base)]
    step = width / len(cells)
    bar = min(36, step / 3)
    for place, (connections, cell) in enumerate(cells.items()):
        middle = left + (place + 0.5) * step
        shapes.append(text(middle, base + 15, f"{connections}", anchor="middle"))
        for offset, (side, colour) in ((-bar, ("server", SERVER)), (0, ("floor", FLOOR))):
            if side in sides(cell):
                shapes += column_of(middle + offset, base, bar - 2, height, most, sides(cell)[side][figure], colour)
    shapes.append(text(left + width / 2, base + 29, "connections", anchor="middle"))
    return shapes


def sides(cell):
    return {side: cell[side] for side in ("server", "floor") if side in cell}


def column_of(x, base, width, height, most, figure, colour):
    """A bar for the median, and a line from the lowest to the highest round."""
    tall = height * figure["median"] / most
    low, high = (base - height * value / most for value in figure["range"])
    middle = x + width / 2
    return [
        f'<rect x="{x:.1f}" y="{base - tall:.1f}" width="{width:.1f}" height="{tall:.1f}" fill="{colour}"/>',
        line(middle, low, middle, high),
        text(middle, min(high, base - tall) - 3, short(figure["median"]), anchor="middle", size=9)]


def short(value):
    return f"{value / 1000:.1f}k" if value >= 1000 else f"{value:.0f}" if value >= 100 else f"{value:.1f}"


def swatch(x, y, colour, name):
    return f'<rect x="{x}" y="{y}" width="11" height="11" fill="{colour}"/>' + text(x + 16, y + 10, name)


def line(x1, y1, x2, y2):
    return f'<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" stroke="{INK}" stroke-width="1"/>'


def text(x, y, content, anchor="start", size=11):
    return (f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" font-size="{size}" fill="{INK}">'
            f"{escape(content)}</text>")
