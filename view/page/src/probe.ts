/** Counters for tests and for who wants to know what a frame costs: `window.weftProbe`. */
export interface Probe {
  renderer: string;
  /** The page shows what its address says. */
  ready: boolean;
  frames: number;
  /** CPU of the last frames in ms, newest last. */
  frameMs: number[];
  drawCalls: number;
  placements: number;
  tilesCached: number;
  tilesLoaded: number;
  requests: number;
  /** Nothing is asked for and nothing is to be drawn. */
  idle: boolean;
  /** Where an item is drawn, in CSS pixels of the page; null if it is not on the screen as a box. */
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
