import assert from "node:assert/strict";
import { test } from "node:test";
import { fitText } from "../src/draw/labels";
import { lineColour, theme } from "../src/draw/theme";
import { bytes, duration, moment, number, percent, place, short } from "../src/format";
import { highlight } from "../src/panes/highlight";
import { ViewHistory } from "../src/state/history";
import { readLink, writeLink } from "../src/state/link";

test("figures have three digits and a unit", () => {
  const cases = [[0, "0"], [7, "7 ns"], [999, "999 ns"], [1000, "1.00 µs"], [3_100_000, "3.10 ms"], [999_600, "1.00 ms"], [2.5e9, "2.50 s"], [125e6, "125 ms"]] as const;
  for (const [ns, text] of cases) assert.equal(duration(ns), text);
  assert.equal(bytes(999), "999 B");
  assert.equal(bytes(326_432), "326 kB");
  assert.equal(bytes(1.5e9), "1.50 GB");
  assert.equal(number(1234567), "1,234,567");
  assert.equal(percent(0.034), "3.4 %");
  assert.equal(percent(1), "100 %");
  assert.equal(moment(20_104_615), "20.1046 ms");
});

test("truncates names to one line", () => {
  assert.equal(short("a\nb", 10), "a b");
  assert.equal(short("x".repeat(10_000), 40).length, 40);
  assert.equal(place({ id: 1, file: "/a/b/heat.py", line: 12, function: "f", text: null }), "heat.py:12");
  assert.equal(place({ id: 0, file: "", line: 0, function: "", text: null }), null);
  assert.equal(fitText("hello world", 35, (text) => text.length * 5), "hello …");
  assert.equal(fitText("hello", 8, (text) => text.length * 5), "");
});

test("a link restores its state and a hostile link restores nothing", () => {
  const link = { start: 12.5, end: 900, item: 3, line: 2, pane: "source", query: "a & b=c #d", closed: [1, 2], marks: [5], measure: [1, 9], critical: true } as const;
  assert.deepEqual(readLink(`#${writeLink(link)}`), link);
  assert.deepEqual(readLink("#s=abc&e=&p=<script>&i=NaN&d=1"), {});
});

test("tokens concatenate to the program text", () => {
  const python = 'import weft\n# a comment\nx = f(1.5, "a # b") + \'\'\'two\nlines\'\'\'\n';
  const rust = "/// doc\nfn main() { let s = \"a // b\"; for i in 0..10 {} }";
  for (const [text, path] of [[python, "a.py"], [rust, "a.rs"]] as const) {
    assert.equal(highlight(text, path).map((tokens) => tokens.map((token) => token.text).join("")).join("\n"), text);
  }
  const kinds = highlight(python, "a.py").flat();
  assert.ok(kinds.some((token) => token.kind === "comment" && token.text === "# a comment"));
  assert.ok(kinds.some((token) => token.kind === "string" && token.text === '"a # b"'));
  assert.ok(highlight(rust, "a.rs").flat().some((token) => token.kind === "string" && token.text === '"a // b"'));
});

test("undo reverts a drag as one step and each jump", () => {
  const history = new ViewHistory();
  for (let i = 0; i < 10; i++) history.leave({ start: i, nsPerPx: 1 }, i * 16, false);
  history.leave({ start: 50, nsPerPx: 1 }, 2000, true);
  history.leave({ start: 60, nsPerPx: 2 }, 2001, true);
  assert.deepEqual([history.back()?.start, history.back()?.start, history.back()?.start, history.back()], [60, 50, 0, null]);
});

/** sRGB as a dichromat without red or green cones sees it (Viénot, Brettel, Mollon 1999). */
function seen([red, green, blue]: readonly [number, number, number], kind: "protan" | "deutan"): readonly number[] {
  const linear = [red, green, blue].map((part) => (part / 255) ** 2.2);
  const [r = 0, g = 0, b = 0] = linear;
  const mixed = kind === "protan" ? [0.11238 * r + 0.88762 * g, 0.11238 * r + 0.88762 * g, 0.00401 * r - 0.00401 * g + b] : [0.29275 * r + 0.70725 * g, 0.29275 * r + 0.70725 * g, -0.02234 * r + 0.02234 * g + b];
  return mixed.map((part) => Math.max(0, part) ** (1 / 2.2) * 255);
}

test("colours of neighbouring lines are distinguishable without red or green cones", () => {
  const { lines } = theme("light");
  for (const kind of ["protan", "deutan"] as const) {
    for (let line = 1; line <= 8; line++) {
      const one = lines[lineColour(line)];
      const other = lines[lineColour(line + 1)];
      assert.ok(one !== undefined && other !== undefined);
      const apart = Math.hypot(...seen(one, kind).map((part, index) => part - (seen(other, kind)[index] ?? 0)));
      assert.ok(apart > 30, `${kind}: lines ${line} and ${line + 1} are ${apart.toFixed(0)} apart`);
    }
  }
});
