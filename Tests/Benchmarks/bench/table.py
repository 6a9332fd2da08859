"""The columns of a table, and the texts in them."""


def percent(value):
    return "" if value is None else f"{value:.0f}%"


def ratio(value):
    return f"{value:.2f}" if value else ""


def columns(rows, left=1):
    """Aligns the columns of rows: the first ones to the left, the others to the right."""
    if not rows:
        return ""
    widths = [max(len(row[place]) for row in rows) for place in range(len(rows[0]))]
    return "\n".join(
        "  ".join(text.ljust(width) if place < left else text.rjust(width)
                  for place, (text, width) in enumerate(zip(row, widths))).rstrip()
        for row in rows)
