import { type DataSource, sentence } from "../data/source";
import { type View, clamp, equal, fit, reveal } from "../layout/view";
import type { ItemRef } from "../protocol";
import { ViewHistory } from "./history";
import type { Pane, State } from "./state";
import type { Store } from "./store";

const FOUND = 500;
/** The position of the end of a live run, as a share of the screen. */
const END_AT = 0.95;

/** The user's actions, as changes of the state. */
export class App {
  private readonly history = new ViewHistory();
  private wanted = 0;
  /** Scrolls to a lane; set by the timeline. */
  showLane: (lane: number) => void = () => undefined;

  constructor(readonly source: DataSource, readonly store: Store<State>) {}

  get state(): State {
    return this.store.get();
  }

  /** Changes the visible time. Each jump is one step of undo. */
  setView(view: View, jump = false): void {
    const { info, size, view: old } = this.state;
    const next = clamp(view, Math.max(1, size.width), { start: info.start, end: Math.max(info.end, info.start + 1) });
    if (equal(next, old)) return;
    this.history.leave(old, performance.now(), jump);
    this.store.set({ view: next, hover: null });
  }

  undo(): void {
    const view = this.history.back();
    if (view !== null) this.store.set({ view });
  }

  fitAll(): void {
    const { info, size } = this.state;
    this.setView(fit(info.start, Math.max(info.end, info.start + 1), size.width), true);
  }

  /** Moves to the end of a live run. */
  showEnd(): void {
    const { view, size, info } = this.state;
    this.setView({ ...view, start: info.end - size.width * view.nsPerPx * END_AT });
  }

  fitRange(from: number, to: number, margin = 0.1): void {
    this.setView(fit(from, to, this.state.size.width, margin), true);
  }

  fitSelection(): void {
    const { detail, measure } = this.state;
    if (measure !== null) this.fitRange(measure[0], measure[1]);
    else if (detail !== null) this.fitRange(detail.start, detail.end, 0.5);
    else this.fitAll();
  }

  /** Selects an item; with `show` it also scrolls to it. */
  async select(id: number | null, show = false, pane: Pane | null = "selection"): Promise<void> {
    const turn = ++this.wanted;
    if (id === null) {
      this.store.set({ selected: null, detail: null, detailError: null });
      return;
    }
    this.store.set(pane === null ? { selected: id, detailError: null } : { selected: id, detailError: null, pane });
    try {
      const detail = await this.source.item(id);
      if (turn !== this.wanted) return;
      this.store.set({ detail });
      if (show) this.reveal(detail);
    } catch (error) {
      if (turn === this.wanted) this.store.set({ detail: null, detailError: sentence(error) });
    }
  }

  reveal(item: Pick<ItemRef, "start" | "end" | "lane">): void {
    this.setView(reveal(this.state.view, item.start, item.end, this.state.size.width), true);
    this.showLane(item.lane);
  }

  /** Highlights a line and shows it in the source pane. */
  setLine(line: number, pane: Pane | null = null): void {
    const file = this.state.info.lines[line]?.file;
    this.store.set({ line, ...(pane === null ? {} : { pane }), ...(file === undefined || pane !== "source" ? {} : { sourceFile: null }) });
  }

  async search(query: string): Promise<void> {
    const text = query.trim();
    if (text === "") {
      this.store.set({ query: "", found: null, foundAt: -1, searching: false });
      return;
    }
    this.store.set({ query: text, searching: true, pane: "search" });
    await this.findAgain();
  }

  /** Repeats the last search. */
  async findAgain(): Promise<void> {
    const text = this.state.query;
    try {
      const found = await this.source.search(text, FOUND);
      if (this.state.query === text) this.store.set({ found, foundAt: -1, searching: false });
    } catch (error) {
      if (this.state.query === text) {
        this.store.set({ found: { total: 0, cut: false, items: [], error: sentence(error) }, foundAt: -1, searching: false });
      }
    }
  }

  /** Goes to the next or previous search result. */
  stepFound(by: number): void {
    const { found, foundAt } = this.state;
    const count = found?.items.length ?? 0;
    if (count === 0) return;
    const at = (foundAt + by + count) % count;
    const item = found?.items[Math.max(0, at)];
    this.store.set({ foundAt: Math.max(0, at) });
    if (item !== undefined) void this.select(item.id, true, null);
  }

  async toggleCritical(shown = !this.state.criticalShown): Promise<void> {
    this.store.set({ criticalShown: shown });
    if (!shown) return;
    this.store.set({ pane: "path" });
    if (this.state.steps === null) await this.loadCritical();
  }

  async loadCritical(): Promise<void> {
    try {
      const steps = await this.source.critical();
      this.store.set({ steps, stepAt: -1, stepsError: null });
    } catch (error) {
      this.store.set({ stepsError: sentence(error) });
    }
  }

  stepCritical(by: number): void {
    const { steps, stepAt } = this.state;
    if (steps === null) {
      void this.toggleCritical(true);
      return;
    }
    const at = Math.min(steps.length - 1, Math.max(0, stepAt + by));
    this.goToStep(at);
  }

  goToStep(at: number): void {
    const step = this.state.steps?.[at];
    if (step === undefined) return;
    this.store.set({ stepAt: at });
    this.setView(reveal(this.state.view, step.start, step.end, this.state.size.width), true);
    if (step.lane !== null) this.showLane(step.lane);
    if (step.item !== null) void this.select(step.item, false, null);
  }

  addMark(time: number): void {
    this.store.set({ marks: [...this.state.marks, time].sort((one, other) => one - other) });
  }

  dropMark(time: number): void {
    this.store.set({ marks: this.state.marks.filter((mark) => mark !== time) });
  }

  toggle(set: "closed" | "tall", lane: number): void {
    const next = new Set(this.state[set]);
    if (!next.delete(lane)) next.add(lane);
    this.store.set(set === "closed" ? { closed: next } : { tall: next });
  }

  /** Closes whatever was opened last (Escape). */
  dismiss(): void {
    const { help, measure, line, selected } = this.state;
    if (help) this.store.set({ help: false });
    else if (measure !== null) this.store.set({ measure: null });
    else if (line !== 0) this.store.set({ line: 0 });
    else if (selected !== null) void this.select(null);
  }
}
