/** Counters for tests and for who wants to know what a frame costs: `window.weftProbe`. */
export interface Probe {
  renderer: string;
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
}

const KEPT = 600;

export const probe: Probe = {
  renderer: "", frames: 0, frameMs: [], drawCalls: 0, placements: 0, tilesCached: 0, tilesLoaded: 0, requests: 0, idle: false,
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
