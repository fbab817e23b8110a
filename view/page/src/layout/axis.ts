export interface Tick {
  readonly time: number;
  readonly label: string;
}

export interface Axis {
  readonly step: number;
  readonly ticks: readonly Tick[];
}

const UNITS: readonly (readonly [ns: number, unit: string])[] = [
  [1e9, "s"],
  [1e6, "ms"],
  [1e3, "µs"],
  [1, "ns"],
];

/** The smallest step of 1, 2 or 5 times a power of ten with `px` pixels between ticks. */
export function stepFor(nsPerPx: number, px: number): number {
  const least = Math.max(nsPerPx * px, 1e-3);
  const power = 10 ** Math.floor(Math.log10(least));
  for (const factor of [1, 2, 5]) if (factor * power >= least) return factor * power;
  return 10 * power;
}

/** Ticks at round times, in one unit and with enough digits to distinguish adjacent ticks. */
export function axis(start: number, nsPerPx: number, width: number, px = 110): Axis {
  const step = stepFor(nsPerPx, px);
  const end = start + width * nsPerPx;
  const [size, unit] = UNITS.find(([ns]) => Math.max(Math.abs(start), Math.abs(end)) >= ns && step >= ns / 1e4) ?? [1, "ns"];
  const digits = Math.max(0, Math.ceil(-Math.log10(step / size) - 1e-9));
  const ticks: Tick[] = [];
  for (let i = Math.ceil(start / step - 1e-9); i * step <= end; i++) {
    const time = i * step;
    const shown = (time / size).toFixed(digits);
    ticks.push({ time, label: `${shown} ${unit}` });
  }
  return { step, ticks };
}
