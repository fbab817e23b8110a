/** The visible part of the trace's time. */
export interface View {
  /** ns at the left edge. */
  readonly start: number;
  readonly nsPerPx: number;
}

export interface Bounds {
  readonly start: number;
  readonly end: number;
}

const MIN_NS_PER_PX = 0.02;
/** The maximum share of the screen outside of the trace. */
const MARGIN = 0.5;

export function fit(from: number, to: number, width: number, margin = 0.02): View {
  const span = Math.max(to - from, MIN_NS_PER_PX * width);
  const nsPerPx = (span * (1 + 2 * margin)) / Math.max(1, width);
  return { start: from - span * margin, nsPerPx };
}

export function clamp(view: View, width: number, bounds: Bounds): View {
  const whole = fit(bounds.start, bounds.end, width).nsPerPx;
  const nsPerPx = Math.min(Math.max(view.nsPerPx, MIN_NS_PER_PX), whole * 1.2);
  const span = nsPerPx * width;
  const least = bounds.start - span * MARGIN;
  const most = Math.max(least, bounds.end - span * (1 - MARGIN));
  return { start: Math.min(Math.max(view.start, least), most), nsPerPx };
}

/** Zooms around the time at `px`. */
export function zoomAt(view: View, factor: number, px: number): View {
  const nsPerPx = Math.max(MIN_NS_PER_PX, view.nsPerPx * factor);
  return { start: timeAt(view, px) - px * nsPerPx, nsPerPx };
}

export function pan(view: View, px: number): View {
  return { start: view.start + px * view.nsPerPx, nsPerPx: view.nsPerPx };
}

export function timeAt(view: View, px: number): number {
  return view.start + px * view.nsPerPx;
}

export function pxAt(view: View, time: number): number {
  return (time - view.start) / view.nsPerPx;
}

/** Moves the view to show [from, to]. It zooms only if the range is too wide or too narrow. */
export function reveal(view: View, from: number, to: number, width: number): View {
  const span = to - from;
  const px = span / view.nsPerPx;
  if (px > width * 0.9 || px < 6) return fit(from, to, width, 1.5);
  const left = pxAt(view, from);
  if (left >= width * 0.02 && left + px <= width * 0.98) return view;
  return { start: (from + to) / 2 - (width / 2) * view.nsPerPx, nsPerPx: view.nsPerPx };
}

export function equal(one: View, other: View): boolean {
  return one.start === other.start && one.nsPerPx === other.nsPerPx;
}
