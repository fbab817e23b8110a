export type ThemeName = "light" | "dark";

export type Rgb = readonly [number, number, number];

/** Colours of the canvases. */
export interface Theme {
  readonly background: Rgb;
  readonly track: Rgb;
  readonly groupTrack: Rgb;
  readonly loading: Rgb;
  readonly curve: Rgb;
  readonly waiting: Rgb;
  readonly ready: Rgb;
  readonly critical: Rgb;
  readonly search: Rgb;
  readonly failed: Rgb;
  readonly unmatched: Rgb;
  readonly finding: Rgb;
  /** Element 0 is for items without a line. */
  readonly lines: readonly Rgb[];
  readonly text: string;
  readonly faintText: string;
  readonly itemText: string;
  readonly grid: string;
  readonly outline: string;
  readonly before: string;
  readonly after: string;
  readonly criticalText: string;
  readonly mark: string;
  readonly measure: string;
}

function rgb(hex: string): Rgb {
  const value = parseInt(hex.slice(1), 16);
  return [value >> 16, (value >> 8) & 255, value & 255];
}

// Paul Tol's scheme "light": distinguishable with every kind of colour vision, and dark text is readable on each. Adjacent numbers differ most.
const LINES = ["#77aadd", "#ee8866", "#44bb99", "#ffaabb", "#aaaa00", "#99ddff", "#eedd88", "#bbcc33"];

const LIGHT: Theme = {
  background: rgb("#ffffff"),
  track: rgb("#f4f6f8"),
  groupTrack: rgb("#eaeef3"),
  loading: rgb("#e6eaef"),
  curve: rgb("#8fa9c6"),
  waiting: rgb("#d3d9e0"),
  ready: rgb("#8e9aa9"),
  critical: rgb("#cc3311"),
  search: rgb("#aa3377"),
  failed: rgb("#b00020"),
  unmatched: rgb("#997700"),
  finding: rgb("#0077bb"),
  lines: ["#c3c8cf", ...LINES].map(rgb),
  text: "#1d2733",
  faintText: "#66717f",
  itemText: "#15202b",
  grid: "#dfe4ea",
  outline: "#10181f",
  before: "#0077bb",
  after: "#7b4fb5",
  criticalText: "#b32d0f",
  mark: "#0077bb",
  measure: "rgba(0, 119, 187, 0.12)",
};

const DARK: Theme = {
  background: rgb("#14191f"),
  track: rgb("#1b222a"),
  groupTrack: rgb("#212a34"),
  loading: rgb("#26303b"),
  curve: rgb("#54708f"),
  waiting: rgb("#3a4550"),
  ready: rgb("#77848f"),
  critical: rgb("#ff6a4d"),
  search: rgb("#ee77bb"),
  failed: rgb("#ff5566"),
  unmatched: rgb("#ddaa33"),
  finding: rgb("#55aaee"),
  lines: ["#7d8791", ...LINES].map(rgb),
  text: "#e3e8ed",
  faintText: "#95a1ad",
  itemText: "#0d1319",
  grid: "#2a333d",
  outline: "#ffffff",
  before: "#66bbff",
  after: "#c3a1ff",
  criticalText: "#ff8f78",
  mark: "#55aaee",
  measure: "rgba(85, 170, 238, 0.18)",
};

export function theme(name: ThemeName): Theme {
  return name === "dark" ? DARK : LIGHT;
}

/** The index of a line's colour in `Theme.lines`. */
export function lineColour(line: number): number {
  return line === 0 ? 0 : 1 + ((line - 1) % LINES.length);
}

export function css([red, green, blue]: Rgb): string {
  return `rgb(${red}, ${green}, ${blue})`;
}

export function mix(one: Rgb, other: Rgb, share: number): Rgb {
  const part = (index: 0 | 1 | 2): number => Math.round(one[index] + (other[index] - one[index]) * share);
  return [part(0), part(1), part(2)];
}
