import type { Tile } from "../protocol";
import { binNs } from "../tiles/level";
import { type Camera, EMPTY, type Look, type Placement, type Renderer, type Scene, narrowOf, originOf, splitOf } from "./scene";
import { ITEM_FRAGMENT, ITEM_VERTEX, QUAD_FRAGMENT, QUAD_VERTEX } from "./shaders";
import type { Rgb, Theme } from "./theme";

const WIDTH = 1024;
/** Rows of the textures for a tile: two for up to 2,048 items, one for bins. */
const SLOT_ROWS = 3;
const FIRST_SLOTS = 256;
const ITEM_BITS = 11;
const TABLE_TEXELS = 3;

interface Program {
  readonly program: WebGLProgram;
  readonly at: Map<string, WebGLUniformLocation>;
  /** The theme whose colours are in the uniforms. */
  theme: Theme | null;
}

/** The WebGL renderer. A tile is uploaded once, as a texture. Each frame needs two draw calls with new uniforms. */
export class GlRenderer implements Renderer {
  readonly name = "webgl";
  calls = 0;
  private readonly quads: Program;
  private readonly items: Program;
  private readonly refs: WebGLBuffer;
  private readonly array: WebGLVertexArrayObject;
  private readonly empty: WebGLVertexArrayObject;
  private table: WebGLTexture;
  private floats: WebGLTexture;
  private words: WebGLTexture;
  private slots = FIRST_SLOTS;
  private readonly maxSlots: number;
  private readonly slotOf = new Map<Tile, number>();
  private free: number[] = [];
  private scene: Scene = EMPTY;
  private itemCount = 0;

  static create(canvas: HTMLCanvasElement): GlRenderer | null {
    const gl = canvas.getContext("webgl2", { alpha: false, antialias: false, depth: false, stencil: false });
    if (gl === null) return null;
    try {
      return new GlRenderer(canvas, gl);
    } catch {
      // If the driver cannot compile the shaders, the canvas renderer is used.
      return null;
    }
  }

  private constructor(private readonly canvas: HTMLCanvasElement, private readonly gl: WebGL2RenderingContext) {
    this.quads = link(gl, QUAD_VERTEX, QUAD_FRAGMENT);
    this.items = link(gl, ITEM_VERTEX, ITEM_FRAGMENT);
    this.refs = gl.createBuffer();
    this.array = gl.createVertexArray();
    this.empty = gl.createVertexArray();
    gl.bindVertexArray(this.array);
    gl.bindBuffer(gl.ARRAY_BUFFER, this.refs);
    gl.enableVertexAttribArray(0);
    gl.vertexAttribIPointer(0, 1, gl.UNSIGNED_INT, 0, 0);
    gl.vertexAttribDivisor(0, 1);
    this.maxSlots = Math.min(2048, Math.floor((gl.getParameter(gl.MAX_TEXTURE_SIZE) as number) / SLOT_ROWS));
    this.table = gl.createTexture();
    this.floats = gl.createTexture();
    this.words = gl.createTexture();
    this.allocate(FIRST_SLOTS);
  }

  resize(width: number, height: number, dpr: number): void {
    this.canvas.width = Math.max(1, Math.round(width * dpr));
    this.canvas.height = Math.max(1, Math.round(height * dpr));
  }

  setScene(scene: Scene): void {
    this.scene = scene;
    const tiles = new Set<Tile>();
    for (const { tile } of scene.placements) if (tile !== null) tiles.add(tile);
    if (tiles.size > this.slots && this.slots < this.maxSlots) {
      this.allocate(Math.min(this.maxSlots, 2 ** Math.ceil(Math.log2(tiles.size * 1.5))));
    }
    for (const tile of tiles) {
      const slot = this.slotOf.get(tile);
      if (slot !== undefined) {
        // Moved to the end, since the least recently used tile is evicted first.
        this.slotOf.delete(tile);
        this.slotOf.set(tile, slot);
      }
    }
    for (const tile of tiles) if (!this.slotOf.has(tile)) this.upload(tile, tiles);
    this.writeTable();
  }

  draw(camera: Camera, look: Look): void {
    const gl = this.gl;
    this.calls = 0;
    gl.viewport(0, 0, this.canvas.width, this.canvas.height);
    const background = look.theme.background;
    gl.clearColor(background[0] / 255, background[1] / 255, background[2] / 255, 1);
    gl.clear(gl.COLOR_BUFFER_BIT);
    if (this.scene.placements.length === 0) return;
    gl.activeTexture(gl.TEXTURE0);
    gl.bindTexture(gl.TEXTURE_2D, this.table);
    gl.activeTexture(gl.TEXTURE1);
    gl.bindTexture(gl.TEXTURE_2D, this.floats);
    gl.activeTexture(gl.TEXTURE2);
    gl.bindTexture(gl.TEXTURE_2D, this.words);
    this.use(this.quads, camera, look);
    gl.bindVertexArray(this.empty);
    gl.drawArraysInstanced(gl.TRIANGLES, 0, 6, this.scene.placements.length);
    this.calls++;
    if (this.itemCount > 0) {
      this.use(this.items, camera, look);
      gl.bindVertexArray(this.array);
      gl.drawArraysInstanced(gl.TRIANGLES, 0, 18, this.itemCount);
      this.calls++;
    }
  }

  dispose(): void {
    this.gl.getExtension("WEBGL_lose_context")?.loseContext();
  }

  private use(program: Program, camera: Camera, look: Look): void {
    const gl = this.gl;
    gl.useProgram(program.program);
    const at = (name: string): WebGLUniformLocation | null => program.at.get(name) ?? null;
    gl.uniform1f(at("u_origin"), this.scene.anchor - camera.view.start);
    gl.uniform1f(at("u_scale"), 1 / camera.view.nsPerPx);
    gl.uniform1f(at("u_scroll"), camera.scrollY);
    gl.uniform1f(at("u_dpr"), camera.dpr);
    gl.uniform2f(at("u_size"), this.canvas.width / camera.dpr, this.canvas.height / camera.dpr);
    gl.uniform1ui(at("u_line"), look.line);
    gl.uniform1i(at("u_critical"), look.critical ? 1 : 0);
    if (program.theme === look.theme) return;
    program.theme = look.theme;
    gl.uniform1i(at("u_table"), 0);
    gl.uniform1i(at("u_floats"), 1);
    gl.uniform1i(at("u_words"), 2);
    const theme = look.theme;
    const colour = (name: string, [red, green, blue]: Rgb): void => gl.uniform3f(at(name), red / 255, green / 255, blue / 255);
    colour("u_track", theme.track);
    colour("u_groupTrack", theme.groupTrack);
    colour("u_loading", theme.loading);
    colour("u_curve", theme.curve);
    colour("u_waiting", theme.waiting);
    colour("u_ready", theme.ready);
    colour("u_criticalColour", theme.critical);
    colour("u_searchColour", theme.search);
    colour("u_failed", theme.failed);
    colour("u_unmatched", theme.unmatched);
    colour("u_finding", theme.finding);
    gl.uniform3fv(at("u_lines"), Float32Array.from(theme.lines.flatMap((rgb) => rgb.map((part) => part / 255))));
  }

  private allocate(slots: number): void {
    const gl = this.gl;
    gl.deleteTexture(this.floats);
    gl.deleteTexture(this.words);
    this.slots = slots;
    this.slotOf.clear();
    this.free = Array.from({ length: slots }, (_, index) => slots - 1 - index);
    this.floats = texture(gl, gl.RGBA32F, WIDTH, slots * SLOT_ROWS);
    this.words = texture(gl, gl.RGBA32UI, WIDTH, slots * SLOT_ROWS);
    gl.deleteTexture(this.table);
    this.table = texture(gl, gl.RGBA32F, TABLE_TEXELS, slots * 2);
  }

  private upload(tile: Tile, needed: ReadonlySet<Tile>): void {
    let slot = this.free.pop();
    if (slot === undefined) {
      for (const [old, its] of this.slotOf) {
        if (needed.has(old)) continue;
        this.slotOf.delete(old);
        slot = its;
        break;
      }
    }
    if (slot === undefined) return;
    this.slotOf.set(tile, slot);
    const row = slot * SLOT_ROWS;
    if (tile.kind === "bins") {
      this.uploadBins(row + 2, tile);
      return;
    }
    const floats = new Float32Array(tile.n * 4);
    const words = new Uint32Array(tile.n * 4);
    const narrow = narrowOf(tile);
    for (let i = 0; i < tile.n; i++) {
      floats[i * 4] = tile.start[i] ?? 0;
      floats[i * 4 + 1] = tile.duration[i] ?? 0;
      floats[i * 4 + 2] = tile.created[i] ?? NaN;
      floats[i * 4 + 3] = tile.ready[i] ?? NaN;
      words[i * 4] = tile.row[i] ?? 0;
      words[i * 4 + 1] = tile.name[i] ?? 0;
      words[i * 4 + 2] = tile.line[i] ?? 0;
      words[i * 4 + 3] = ((tile.flags[i] ?? 0) | (narrow[i] === 1 ? 0x80000000 : 0)) >>> 0;
    }
    for (let part = 0; part * WIDTH < Math.min(tile.n, 2 * WIDTH); part++) {
      const count = Math.min(WIDTH, tile.n - part * WIDTH);
      this.write(row + part, count, floats.subarray(part * WIDTH * 4), words.subarray(part * WIDTH * 4));
    }
    const rest = splitOf(tile).narrow;
    if (rest !== null) this.uploadBins(row + 2, rest);
  }

  private uploadBins(row: number, tile: Tile & { kind: "bins" }): void {
    const floats = new Float32Array(tile.n * 4);
    const words = new Uint32Array(tile.n * 4);
    for (let i = 0; i < tile.n; i++) {
      floats[i * 4] = tile.busy[i] ?? 0;
      floats[i * 4 + 1] = tile.waiting[i] ?? 0;
      floats[i * 4 + 2] = tile.ready[i] ?? 0;
      words[i * 4] = tile.line[i] ?? 0;
      words[i * 4 + 1] = tile.flags[i] ?? 0;
      words[i * 4 + 2] = tile.count[i] ?? 0;
    }
    this.write(row, Math.min(WIDTH, tile.n), floats, words);
  }

  private write(row: number, count: number, floats: Float32Array, words: Uint32Array): void {
    const gl = this.gl;
    gl.bindTexture(gl.TEXTURE_2D, this.floats);
    gl.texSubImage2D(gl.TEXTURE_2D, 0, 0, row, count, 1, gl.RGBA, gl.FLOAT, floats);
    gl.bindTexture(gl.TEXTURE_2D, this.words);
    gl.texSubImage2D(gl.TEXTURE_2D, 0, 0, row, count, 1, gl.RGBA_INTEGER, gl.UNSIGNED_INT, words);
  }

  private writeTable(): void {
    const gl = this.gl;
    const placements = this.scene.placements.slice(0, this.slots * 2);
    const table = new Float32Array(Math.max(1, placements.length) * TABLE_TEXELS * 4);
    let count = 0;
    for (const { tile } of placements) if (tile?.kind === "exact") count += tile.n;
    const refs = new Uint32Array(count);
    let next = 0;
    placements.forEach((placement, index) => {
      const { tile } = placement;
      const slot = tile === null ? undefined : this.slotOf.get(tile);
      table.set(this.entry(placement, slot === undefined ? -1 : slot * SLOT_ROWS), index * TABLE_TEXELS * 4);
      if (tile?.kind === "exact" && slot !== undefined) {
        for (let i = 0; i < tile.n; i++) refs[next++] = (index << ITEM_BITS) | i;
      }
    });
    this.itemCount = next;
    gl.bindTexture(gl.TEXTURE_2D, this.table);
    if (placements.length > 0) gl.texSubImage2D(gl.TEXTURE_2D, 0, 0, 0, TABLE_TEXELS, placements.length, gl.RGBA, gl.FLOAT, table);
    gl.bindBuffer(gl.ARRAY_BUFFER, this.refs);
    gl.bufferData(gl.ARRAY_BUFFER, refs.subarray(0, next), gl.DYNAMIC_DRAW);
  }

  private entry(placement: Placement, slot: number): number[] {
    const { tile, row, from, to } = placement;
    const anchor = this.scene.anchor;
    const hasBins = tile !== null && (tile.kind === "bins" || splitOf(tile).narrow !== null);
    return [
      from - anchor, to - anchor, row.y, row.height,
      originOf(this.scene, placement), hasBins ? binNs(tile.level) : 0, slot, row.group ? 1 : 0,
      row.runTop, row.runHeight, row.rows, row.band,
    ];
  }
}

function texture(gl: WebGL2RenderingContext, format: GLenum, width: number, height: number): WebGLTexture {
  const made = gl.createTexture();
  gl.bindTexture(gl.TEXTURE_2D, made);
  gl.texStorage2D(gl.TEXTURE_2D, 1, format, width, height);
  for (const name of [gl.TEXTURE_MIN_FILTER, gl.TEXTURE_MAG_FILTER]) gl.texParameteri(gl.TEXTURE_2D, name, gl.NEAREST);
  for (const name of [gl.TEXTURE_WRAP_S, gl.TEXTURE_WRAP_T]) gl.texParameteri(gl.TEXTURE_2D, name, gl.CLAMP_TO_EDGE);
  return made;
}

function link(gl: WebGL2RenderingContext, vertex: string, fragment: string): Program {
  const program = gl.createProgram();
  for (const [kind, text] of [[gl.VERTEX_SHADER, vertex], [gl.FRAGMENT_SHADER, fragment]] as const) {
    const shader = gl.createShader(kind);
    if (shader === null) throw new Error("no shader");
    gl.shaderSource(shader, text);
    gl.compileShader(shader);
    gl.attachShader(program, shader);
    if (gl.getShaderParameter(shader, gl.COMPILE_STATUS) !== true) throw new Error(gl.getShaderInfoLog(shader) ?? "shader");
  }
  gl.linkProgram(program);
  if (gl.getProgramParameter(program, gl.LINK_STATUS) !== true) throw new Error(gl.getProgramInfoLog(program) ?? "link");
  const at = new Map<string, WebGLUniformLocation>();
  const count = gl.getProgramParameter(program, gl.ACTIVE_UNIFORMS) as number;
  for (let i = 0; i < count; i++) {
    const name = gl.getActiveUniform(program, i)?.name.replace("[0]", "");
    const location = name === undefined ? null : gl.getUniformLocation(program, name);
    if (name !== undefined && location !== null) at.set(name, location);
  }
  return { program, at, theme: null };
}
