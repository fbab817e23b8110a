import { type DataSource, type Marking, sentence } from "../data/source";
import type { TileKey } from "../protocol";
import { type TileCache, keyText } from "./cache";

const BATCH = 256;
const RETRY_MS = 1000;

/** Loads the wanted tiles with one request at a time. A request is aborted when none of its tiles is wanted any longer. */
export class TileLoader {
  private wanted: readonly TileKey[] = [];
  private marking: Marking = { highlight: null, search: null };
  private flight: { seq: number; keys: Set<string>; version: number; abort: AbortController } | null = null;
  /** Tiles that the source does not have, with their version. */
  private readonly absent = new Map<string, number>();
  private seq = 0;
  private waiting = false;
  requests = 0;
  loaded = 0;

  constructor(
    private readonly source: DataSource,
    private readonly cache: TileCache,
    private readonly arrived: () => void,
    private readonly failed: (reason: string | null) => void,
  ) {}

  get busy(): boolean {
    return this.flight !== null || this.waiting;
  }

  /** Changes the marks. Loaded tiles are shown until they have been reloaded. */
  mark(marking: Marking): void {
    this.marking = marking;
    this.renew();
  }

  /** Reloads tiles after a change of the trace. */
  renew(): void {
    this.cache.version++;
    this.absent.clear();
  }

  /** Sets the wanted tiles, the most urgent first. */
  want(keys: readonly TileKey[]): void {
    this.wanted = keys.filter((key) => this.absent.get(keyText(key.lane, key.level, key.index)) !== this.cache.version);
    const flight = this.flight;
    if (flight !== null && this.wanted.length > 0) {
      const useful = flight.version === this.cache.version && this.wanted.some((key) => flight.keys.has(keyText(key.lane, key.level, key.index)));
      if (!useful) {
        flight.abort.abort();
        this.flight = null;
      }
    }
    // Tiles that are being loaded need no second request.
    const coming = this.flight;
    if (coming !== null) this.wanted = this.wanted.filter((key) => !coming.keys.has(keyText(key.lane, key.level, key.index)));
    this.next();
  }

  private next(): void {
    if (this.flight !== null || this.waiting || this.wanted.length === 0) return;
    const keys = this.wanted.slice(0, BATCH);
    this.wanted = this.wanted.slice(BATCH);
    const flight = {
      seq: ++this.seq,
      keys: new Set(keys.map((key) => keyText(key.lane, key.level, key.index))),
      version: this.cache.version,
      abort: new AbortController(),
    };
    this.flight = flight;
    this.requests++;
    this.source.tiles(flight.seq, keys, this.marking, flight.abort.signal).then(
      (tiles) => {
        if (this.flight !== flight) return;
        this.flight = null;
        for (const tile of tiles) {
          this.cache.put(tile, false, flight.version);
          flight.keys.delete(keyText(tile.lane, tile.level, tile.index));
        }
        for (const key of flight.keys) this.absent.set(key, flight.version);
        this.loaded += tiles.length;
        this.failed(null);
        this.arrived();
        this.next();
      },
      (error: unknown) => {
        if (this.flight !== flight) return;
        this.flight = null;
        this.failed(sentence(error));
        this.waiting = true;
        setTimeout(() => {
          this.waiting = false;
          this.arrived();
        }, RETRY_MS);
      },
    );
  }
}
