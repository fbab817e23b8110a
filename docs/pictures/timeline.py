#!/usr/bin/env python3
"""Draws a joined trace as SVG: one row for each processor, one colour for each source line.

    docs/pictures/timeline.py weft.sqlite OUT.svg [--from MS] [--to MS] [--source FOLDER]

Times count from the first launch. The time of a launch that serves several lines is divided by their shares. The legend shows the
text of each line if its file is below FOLDER (default: the current folder).
"""

import argparse
import html
import math
import pathlib
import sqlite3

WIDTH, LEFT, RIGHT, TOP = 1000, 92, 16, 34
ROW, GAP, LEGEND_ROW = 34, 8, 24
COLOURS = ["#2f6db5", "#e5892f", "#3f9b57", "#c24a4a", "#8064b5", "#7d7d7d"]
MONO = "ui-monospace, SFMono-Regular, Menlo, Consolas, monospace"

QUERY = """
SELECT p.name, l.start, l.end, lt.share, v.file, v.line, o.name
FROM WEFT_LAUNCH l
JOIN WEFT_LAUNCH_TASK lt ON lt.launchUid = l.uid AND lt.sourceId = l.sourceId
JOIN WEFT_TASK t ON t.uid = lt.taskUid AND t.sourceId = lt.sourceId
JOIN WEFT_OPERATION o ON o.uid = t.opUid AND o.sourceId = t.sourceId
JOIN WEFT_PROVENANCE v ON v.id = o.provenanceId
JOIN WEFT_PROCESSOR p ON p.id = l.processorId AND p.sourceId = l.sourceId
WHERE l.end > ? AND l.start < ?
ORDER BY p.id, l.start, v.line, t.uid
"""


def rectangles(rows, first, last):
    """(processor, start, end, line) of each share of a launch, with neighbours of one line in one launch joined."""
    used, found = {}, []
    for name, start, end, share, file, line, _ in rows:
        offset = used.get((name, start), 0.0)
        used[name, start] = offset + share
        left = max(start + offset * (end - start), first)
        right = min(start + (offset + share) * (end - start), last)
        if right <= left:
            continue
        before = found[-1] if found else None
        if before and before[0] == name and before[3] == (file, line) and left - before[2] < 1 and offset > 0:
            found[-1] = (name, before[1], right, (file, line))
        else:
            found.append((name, left, right, (file, line)))
    return found


def text_of(folder, place):
    """The text of a source line, without its comment; empty if the file is not there."""
    try:
        lines = (folder / place[0]).read_text(encoding="utf-8").splitlines()
        return lines[place[1] - 1].split("//")[0].strip()
    except (OSError, IndexError):
        return ""


def ticks(span):
    """The distance of about eight round ticks, in milliseconds."""
    rough = span / 8
    power = 10 ** math.floor(math.log10(rough))
    return next(power * step for step in (1, 2, 5, 10) if power * step >= rough)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("database")
    parser.add_argument("out")
    parser.add_argument("--from", dest="start", type=float, default=0, help="first millisecond drawn")
    parser.add_argument("--to", dest="end", type=float, help="last millisecond drawn")
    parser.add_argument("--source", type=pathlib.Path, default=pathlib.Path("."), help="folder of the source files")
    arguments = parser.parse_args()

    trace = sqlite3.connect(f"file:{arguments.database}?mode=ro", uri=True)
    zero, latest = trace.execute("SELECT min(start), max(end) FROM WEFT_LAUNCH").fetchone()
    first = zero + int(arguments.start * 1e6)
    last = zero + int(arguments.end * 1e6) if arguments.end else latest
    rows = trace.execute(QUERY, (first, last)).fetchall()
    found = rectangles(rows, first, last)
    names = sorted({row[0] for row in rows})
    cost, operations = {}, {}
    for _, left, right, place in found:
        cost[place] = cost.get(place, 0) + right - left
    for row in rows:
        operations.setdefault(row[4:6], set()).add(row[6])
    ranked = sorted(cost, key=cost.get, reverse=True)
    shown = ranked if len(ranked) <= len(COLOURS) else ranked[: len(COLOURS) - 1]
    # Colours in the order of lines, so that the legend reads like the program.
    shown = sorted(shown)
    colour = {place: COLOURS[at] for at, place in enumerate(shown)}
    scale = (WIDTH - LEFT - RIGHT) / (last - first)
    bottom = TOP + len(names) * (ROW + GAP)
    legend = bottom + 18
    others = len(ranked) - len(shown)
    height = legend + LEGEND_ROW * (len(shown) + (others > 0)) + 4

    out = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" '
        'font-family="-apple-system, Segoe UI, Helvetica, Arial, sans-serif" font-size="13" fill="#222">',
        f'<rect width="{WIDTH}" height="{height}" fill="#fff"/>',
    ]
    span = (last - first) / 1e6
    step = ticks(span)
    at = math.ceil(arguments.start / step - 1e-9) * step
    while at <= arguments.start + span + 1e-9:
        x = LEFT + (at - arguments.start) * 1e6 * scale
        out.append(f'<path d="M{x:.1f} {TOP - 6}V{bottom - GAP + 4}" stroke="#ccc"/>')
        anchor = "end" if x > WIDTH - 40 else "middle"
        out.append(f'<text x="{x:.1f}" y="{TOP - 12}" text-anchor="{anchor}" fill="#555">{at:g} ms</text>')
        at += step
    for row, name in enumerate(names):
        y = TOP + row * (ROW + GAP)
        out.append(f'<text x="{LEFT - 10}" y="{y + ROW / 2 + 5:g}" text-anchor="end">{html.escape(name)}</text>')
        out.append(f'<rect x="{LEFT}" y="{y}" width="{WIDTH - LEFT - RIGHT}" height="{ROW}" fill="#f2f2f2"/>')
    for place in [*shown, None]:
        paths = []
        for name, left, right, line in found:
            if (line if line in colour else None) == place and (right - left) * scale >= 0.15:
                x, y = LEFT + (left - first) * scale, TOP + names.index(name) * (ROW + GAP)
                paths.append(f"M{x:.1f} {y}h{(right - left) * scale:.1f}v{ROW}H{x:.1f}z")
        if paths:
            out.append(f'<path fill="{colour.get(place, COLOURS[-1])}" d="{"".join(paths)}"/>')
    total = sum(cost.values())
    for row, place in enumerate(shown):
        y = legend + LEGEND_ROW * row
        text = text_of(arguments.source, place) or ", ".join(sorted(operations[place]))
        where = f"{place[0].rsplit('/', 1)[-1]}:{place[1]}"
        out.append(f'<rect x="{LEFT}" y="{y}" width="14" height="14" fill="{colour[place]}"/>')
        out.append(f'<text x="{LEFT + 24}" y="{y + 12}">{html.escape(where)}</text>')
        out.append(f'<text x="{LEFT + 116}" y="{y + 12}" font-family="{MONO}">{html.escape(text)}</text>')
        share = f"{100 * cost[place] / total:.0f} %"
        out.append(f'<text x="{WIDTH - RIGHT}" y="{y + 12}" text-anchor="end">{share}</text>')
    if others > 0:
        y = legend + LEGEND_ROW * len(shown)
        rest = 100 * sum(cost[place] for place in ranked if place not in colour) / total
        out.append(f'<rect x="{LEFT}" y="{y}" width="14" height="14" fill="{COLOURS[-1]}"/>')
        out.append(f'<text x="{LEFT + 24}" y="{y + 12}">{others} other lines</text>')
        out.append(f'<text x="{WIDTH - RIGHT}" y="{y + 12}" text-anchor="end">{rest:.0f} %</text>')
    out.append("</svg>")
    with open(arguments.out, "w", encoding="utf-8") as file:
        file.write("\n".join(out) + "\n")


main()
