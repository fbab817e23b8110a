import { useEffect, useRef, useState } from "preact/hooks";

/** A value with listeners that are called on each change. */
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

/** Returns a part of the state. The component is rendered again only when this part changes. */
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
