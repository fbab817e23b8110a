import type { BinTile, ExactTile, Tile } from "../protocol";

export const MAGIC = 0x57454654;
const HEADER = 6 * 4;

/** Decodes an answer of `/api/tiles`. Its arrays are views of the buffer. */
export function decodeTiles(buffer: ArrayBuffer): { seq: number; tiles: Tile[] } {
  const head = new DataView(buffer);
  if (buffer.byteLength < 12 || head.getUint32(0, true) !== MAGIC) {
    throw new Error("The server's tiles are not in the form that this page reads.");
  }
  const seq = head.getUint32(4, true);
  const count = head.getUint32(8, true);
  const tiles: Tile[] = [];
  let at = 12;
  for (let i = 0; i < count; i++) {
    const [tile, end] = decodeTile(buffer, at);
    tiles.push(tile);
    at = end;
  }
  return { seq, tiles };
}

/** Decodes the tile at offset `at`; returns it with the offset of the next one. */
export function decodeTile(buffer: ArrayBuffer, at: number): [Tile, number] {
  const head = new DataView(buffer, at, HEADER);
  const word = (index: number): number => head.getUint32(index * 4, true);
  const [lane, level, index, kind, n, rows] = [word(0), word(1), word(2), word(3), word(4), word(5)];
  let next = at + HEADER;
  const floats = (): Float32Array => {
    next += n * 4;
    return new Float32Array(buffer, next - n * 4, n);
  };
  const words = (): Uint32Array => {
    next += n * 4;
    return new Uint32Array(buffer, next - n * 4, n);
  };
  if (kind === 0) {
    const tile: BinTile = {
      kind: "bins", lane, level, index, n, rows,
      busy: floats(), count: words(), line: words(), waiting: floats(), ready: floats(), longest: floats(), item: words(), flags: words(),
    };
    return [tile, next];
  }
  const tile: ExactTile = {
    kind: "exact", lane, level, index, n, rows,
    start: floats(), duration: floats(), created: floats(), ready: floats(), row: words(), name: words(), line: words(), item: words(), flags: words(),
  };
  return [tile, next];
}
