import { PANES, type Pane } from "./state";

/** The state of the page that a link contains. */
export interface Link {
  readonly start?: number;
  readonly end?: number;
  readonly item?: number;
  readonly line?: number;
  readonly pane?: Pane | "none";
  readonly query?: string;
  readonly closed?: readonly number[];
  readonly tall?: readonly number[];
  readonly marks?: readonly number[];
  readonly measure?: readonly [number, number];
  readonly critical?: boolean;
  readonly scroll?: number;
}

export function writeLink(link: Link): string {
  const parts = new URLSearchParams();
  const put = (key: string, value: string | number | undefined): void => {
    if (value !== undefined && value !== "") parts.set(key, typeof value === "number" ? String(Math.round(value * 1000) / 1000) : value);
  };
  put("s", link.start);
  put("e", link.end);
  put("i", link.item);
  put("l", link.line);
  put("p", link.pane);
  put("q", link.query);
  put("c", link.closed?.join("."));
  put("t", link.tall?.join("."));
  put("m", link.marks?.map(Math.round).join("."));
  put("d", link.measure?.map(Math.round).join("."));
  put("x", link.critical === true ? 1 : undefined);
  put("y", link.scroll);
  return parts.toString();
}

/** Parses a fragment. Invalid parts are ignored, since links are untrusted. */
export function readLink(fragment: string): Link {
  const parts = new URLSearchParams(fragment.replace(/^#/, ""));
  const one = (key: string): number | undefined => {
    const text = parts.get(key);
    const value = text === null || text === "" ? NaN : Number(text);
    return Number.isFinite(value) ? value : undefined;
  };
  const many = (key: string): number[] | undefined => parts.get(key)?.split(".").map(Number).filter(Number.isFinite);
  const pane = parts.get("p");
  const known = pane === "none" ? pane : PANES.find((each) => each === pane);
  const measure = many("d");
  const link: { -readonly [K in keyof Link]?: Link[K] | undefined } = {
    start: one("s"), end: one("e"), item: one("i"), line: one("l"), pane: known, query: parts.get("q") ?? undefined,
    closed: many("c"), tall: many("t"), marks: many("m"), critical: parts.has("x") ? true : undefined, scroll: one("y"),
    measure: measure?.[0] !== undefined && measure[1] !== undefined ? [measure[0], measure[1]] : undefined,
  };
  return Object.fromEntries(Object.entries(link).filter(([, value]) => value !== undefined)) as Link;
}
