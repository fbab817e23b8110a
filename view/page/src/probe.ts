/** Counters for tests and for measuring the cost of frames: `window.weftProbe`. */
export interface Probe {
  renderer: string;
  /** Whether the page shows the state given by its address. */
  ready: boolean;
  frames: number;
  /** CPU time of the last frames in ms, newest last. */
  frameMs: number[];
  drawCalls: number;
  placements: number;
  tilesCached: number;
  tilesLoaded: number;
  requests: number;
  /** Whether no request and no drawing is pending. */
  idle: boolean;
  /** Returns the box of an item in CSS pixels of the page; null if it is not drawn as a box. */
  locate: (item: number) => Box | null;
}

export interface Box {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
  readonly line: number;
}

const KEPT = 600;

export const probe: Probe = {
  renderer: "", ready: false, frames: 0, frameMs: [], drawCalls: 0, placements: 0, tilesCached: 0, tilesLoaded: 0, requests: 0, idle: false, locate: () => null,
};

export function frameTook(ms: number): void {
  probe.frames++;
  probe.frameMs.push(ms);
  if (probe.frameMs.length > KEPT) probe.frameMs.shift();
}

declare global {
  interface Window {
    weftProbe: Probe;
  }
}
