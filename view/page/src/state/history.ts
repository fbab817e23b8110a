import { type View, equal } from "../layout/view";

const MOST = 200;
/** Moves within this number of ms are merged. */
const ONE_MOVE_MS = 600;

/** The history of views, for undo. */
export class ViewHistory {
  private readonly past: View[] = [];
  private last = -Infinity;

  /** Records the current view before a change. */
  leave(view: View, now: number, jump: boolean): void {
    const same = !jump && now - this.last < ONE_MOVE_MS;
    this.last = jump ? -Infinity : now;
    const top = this.past[this.past.length - 1];
    if (same || (top !== undefined && equal(top, view))) return;
    this.past.push(view);
    if (this.past.length > MOST) this.past.shift();
  }

  back(): View | null {
    this.last = -Infinity;
    return this.past.pop() ?? null;
  }
}
