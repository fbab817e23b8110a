import { useEffect, useRef, useState } from "preact/hooks";

/** One value that changes as a whole, and those who want to know of it. */
export class Store<S extends object> {
  private readonly listeners = new Set<() => void>();

  constructor(private value: S) {}

  get(): S {
    return this.value;
  }

  set(change: Partial<S>): void {
    this.value = { ...this.value, ...change };
    for (const listener of [...this.listeners]) listener();
  }

  subscribe(listener: () => void): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }
}

/** A part of the state; the component is drawn again only when this part changes. */
export function useStore<S extends object, T>(store: Store<S>, select: (state: S) => T): T {
  const [, redraw] = useState(0);
  const value = select(store.get());
  const shown = useRef({ value, select });
  shown.current = { value, select };
  useEffect(() => {
    const look = (): void => {
      if (!Object.is(shown.current.select(store.get()), shown.current.value)) redraw((count) => count + 1);
    };
    look();
    return store.subscribe(look);
  }, [store]);
  return value;
}
