import type { Place } from "./protocol";

function three(value: number): string {
  const size = Math.abs(value);
  return value.toFixed(size >= 100 ? 0 : size >= 10 ? 1 : 2);
}

function scaled(value: number, units: readonly (readonly [size: number, unit: string])[]): string {
  for (const [size, unit] of units) {
    // 999.6 of a unit is 1.00 of the next one.
    if (Math.abs(value) >= size * 0.9995) return `${three(value / size)} ${unit}`;
  }
  const last = units[units.length - 1];
  return last === undefined ? String(value) : `${three(value / last[0])} ${last[1]}`;
}

/** A duration with three digits: `3.10 ms`. */
export function duration(ns: number): string {
  if (ns === 0) return "0";
  if (Math.abs(ns) < 999.5) return `${Number.isInteger(ns) ? ns : three(ns)} ns`;
  return scaled(ns, [[1e9, "s"], [1e6, "ms"], [1e3, "µs"]]);
}

/** Formats a time of the trace; times of items are exact to the ns. */
export function moment(ns: number): string {
  const rest = Math.abs(ns);
  if (rest >= 1e9) return `${(ns / 1e9).toFixed(6)} s`;
  if (rest >= 1e6) return `${(ns / 1e6).toFixed(4)} ms`;
  if (rest >= 1e3) return `${(ns / 1e3).toFixed(3)} µs`;
  return `${Math.round(ns)} ns`;
}

export function bytes(count: number): string {
  if (Math.abs(count) < 1000) return `${count} B`;
  return scaled(count, [[1e12, "TB"], [1e9, "GB"], [1e6, "MB"], [1e3, "kB"]]);
}

export function number(value: number): string {
  return Math.round(value).toString().replace(/\B(?=(\d{3})+(?!\d))/g, ",");
}

export function percent(share: number): string {
  const value = share * 100;
  return `${value !== 0 && Math.abs(value) < 9.95 ? value.toFixed(1) : value.toFixed(0)} %`;
}

export function baseName(path: string): string {
  return path.slice(Math.max(path.lastIndexOf("/"), path.lastIndexOf("\\")) + 1);
}

/** `heat.py:12`, or null if the line is unknown. */
export function place(place: Place | null | undefined): string | null {
  if (place === null || place === undefined || place.file === "") return null;
  return place.line === 0 ? baseName(place.file) : `${baseName(place.file)}:${place.line}`;
}

/** Shortens a text to a maximum number of characters by omitting its middle. */
export function short(text: string, most: number): string {
  // Line ends in names would break the single-line layout.
  const line = text.replace(/\s+/g, " ");
  if (line.length <= most) return line;
  const head = Math.ceil((most - 1) * 0.6);
  return `${line.slice(0, head)}…${line.slice(line.length - (most - 1 - head))}`;
}
