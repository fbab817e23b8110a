#!/usr/bin/env python3
"""Draws a joined trace: one row for each processor, one colour for each source line.

    docs/pictures/timeline.py weft.sqlite OUT.svg [--from MS] [--to MS]

A launch that serves several tasks is cut by their shares. Times count from the first launch.
"""

import argparse
import html
import sqlite3

WIDTH, LEFT, ROW, GAP, TOP = 1000, 150, 26, 8, 34
COLOURS = ["#3b6fb6", "#e08a2e", "#4a9d5b", "#c4504f", "#8067b7", "#8b6f5c", "#cf7fb8", "#7f7f7f"]

QUERY = """
SELECT p.name, l.start, l.end, lt.share, v.file, v.line
FROM WEFT_LAUNCH l
JOIN WEFT_LAUNCH_TASK lt ON lt.launchUid = l.uid AND lt.sourceId = l.sourceId
JOIN WEFT_TASK t ON t.uid = lt.taskUid AND t.sourceId = lt.sourceId
JOIN WEFT_OPERATION o ON o.uid = t.opUid AND o.sourceId = t.sourceId
JOIN WEFT_PROVENANCE v ON v.id = o.provenanceId
JOIN WEFT_PROCESSOR p ON p.id = l.processorId AND p.sourceId = l.sourceId
ORDER BY p.id, l.start, t.uid
"""


def rectangles(rows, first, scale, names):
    """A rectangle for each share of a launch that is wide enough to be seen, with its line."""
    used = {}
    for name, start, end, share, file, line in rows:
        offset = used.get((name, start), 0.0)
        used[name, start] = offset + share
        left = LEFT + (start - first + offset * (end - start)) * scale
        width = share * (end - start) * scale
        if width >= 0.2:
            yield names.index(name), left, width, (file, line)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("database")
    parser.add_argument("out")
    parser.add_argument("--from", dest="start", type=float, default=0, help="first millisecond drawn")
    parser.add_argument("--to", dest="end", type=float, help="last millisecond drawn")
    arguments = parser.parse_args()

    rows = sqlite3.connect(f"file:{arguments.database}?mode=ro", uri=True).execute(QUERY).fetchall()
    zero = min(row[1] for row in rows)
    first = zero + int(arguments.start * 1e6)
    last = zero + int(arguments.end * 1e6) if arguments.end else max(row[2] for row in rows)
    rows = [row for row in rows if row[1] >= first and row[2] <= last]
    names = sorted({row[0] for row in rows})
    cost = {}
    for _, start, end, share, file, line in rows:
        cost[file, line] = cost.get((file, line), 0) + share * (end - start)
    lines = sorted(cost, key=cost.get, reverse=True)
    colour = {line: COLOURS[min(rank, len(COLOURS) - 1)] for rank, line in enumerate(lines)}
    scale = (WIDTH - LEFT - 10) / (last - first)
    legend = TOP + len(names) * (ROW + GAP) + 26
    height = legend + 22 * min(len(lines), len(COLOURS)) + 6

    out = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" width="{WIDTH}" height="{height}" '
        'font-family="sans-serif" font-size="13">',
        f'<rect width="{WIDTH}" height="{height}" fill="white"/>',
    ]
    for tick in range(6):
        x = LEFT + tick * (WIDTH - LEFT - 10) / 5
        at = arguments.start + (last - first) * tick / 5 / 1e6
        out.append(f'<line x1="{x:.1f}" y1="{TOP - 6}" x2="{x:.1f}" y2="{legend - 26}" stroke="#ddd"/>')
        out.append(f'<text x="{x:.1f}" y="{TOP - 12}" text-anchor="{"end" if tick == 5 else "middle"}">{at:.1f} ms</text>')
    for row, name in enumerate(names):
        y = TOP + row * (ROW + GAP)
        out.append(f'<text x="{LEFT - 8}" y="{y + 18}" text-anchor="end">{html.escape(name)}</text>')
        out.append(f'<rect x="{LEFT}" y="{y}" width="{WIDTH - LEFT - 10}" height="{ROW}" fill="#f3f3f3"/>')
    for row, left, width, line in rectangles(rows, first, scale, names):
        y = TOP + row * (ROW + GAP)
        out.append(f'<rect x="{left:.2f}" y="{y}" width="{width:.2f}" height="{ROW}" fill="{colour[line]}"/>')
    for rank, line in enumerate(lines[: len(COLOURS)]):
        y = legend + 22 * rank
        text = f"{line[0]}:{line[1]}" if rank < len(COLOURS) - 1 or len(lines) == len(COLOURS) else "other lines"
        out.append(f'<rect x="{LEFT}" y="{y}" width="14" height="14" fill="{colour[line]}"/>')
        share = 100 * cost[line] / sum(cost.values())
        out.append(f'<text x="{LEFT + 22}" y="{y + 12}">{html.escape(text)}: {share:.0f} % of the time of launches</text>')
    out.append("</svg>")
    with open(arguments.out, "w", encoding="utf-8") as file:
        file.write("\n".join(out) + "\n")


main()
