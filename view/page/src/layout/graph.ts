import type { GraphEdge, GraphNode } from "../protocol";

export interface PlacedNode {
  readonly node: GraphNode;
  readonly x: number;
  readonly y: number;
}

export interface PlacedEdge {
  readonly edge: GraphEdge;
  readonly from: PlacedNode;
  readonly to: PlacedNode;
}

export interface GraphPicture {
  readonly nodes: readonly PlacedNode[];
  readonly edges: readonly PlacedEdge[];
  readonly width: number;
  readonly height: number;
}

export const NODE_WIDTH = 150;
export const NODE_HEIGHT = 38;
const GAP_X = 26;
const GAP_Y = 46;
const SWEEPS = 4;

type Id = number | string;

/** Assigns nodes to layers by their longest path from a source, and orders each layer by adjacent nodes. Edges that close a cycle point upwards. */
export function layoutGraph(nodes: readonly GraphNode[], edges: readonly GraphEdge[]): GraphPicture {
  const layer = layers(nodes, edges);
  const rows: GraphNode[][] = [];
  for (const node of nodes) (rows[layer.get(node.id) ?? 0] ??= []).push(node);
  const near = new Map<Id, Id[]>();
  for (const { from, to } of edges) {
    near.set(from, [...(near.get(from) ?? []), to]);
    near.set(to, [...(near.get(to) ?? []), from]);
  }
  const order = new Map<Id, number>();
  const number = (row: readonly GraphNode[]): void => row.forEach((node, index) => order.set(node.id, index - row.length / 2));
  for (const row of rows) number(row ?? []);
  for (let sweep = 0; sweep < SWEEPS; sweep++) {
    for (const row of sweep % 2 === 0 ? rows : [...rows].reverse()) {
      const middle = (node: GraphNode): number => {
        const all = near.get(node.id) ?? [];
        return all.length === 0 ? order.get(node.id) ?? 0 : all.reduce<number>((sum, id) => sum + (order.get(id) ?? 0), 0) / all.length;
      };
      const keys = new Map((row ?? []).map((node) => [node, middle(node)]));
      (row ?? []).sort((one, other) => (keys.get(one) ?? 0) - (keys.get(other) ?? 0));
      number(row ?? []);
    }
  }
  const widest = Math.max(1, ...rows.map((row) => row?.length ?? 0));
  const width = widest * (NODE_WIDTH + GAP_X) + GAP_X;
  const placed = new Map<Id, PlacedNode>();
  rows.forEach((row, y) => (row ?? []).forEach((node, index) => {
    const x = width / 2 + (index - (row.length - 1) / 2) * (NODE_WIDTH + GAP_X) - NODE_WIDTH / 2;
    placed.set(node.id, { node, x, y: GAP_Y / 2 + y * (NODE_HEIGHT + GAP_Y) });
  }));
  const drawn: PlacedEdge[] = [];
  for (const edge of edges) {
    const from = placed.get(edge.from);
    const to = placed.get(edge.to);
    if (from !== undefined && to !== undefined) drawn.push({ edge, from, to });
  }
  return { nodes: [...placed.values()], edges: drawn, width, height: rows.length * (NODE_HEIGHT + GAP_Y) };
}

function layers(nodes: readonly GraphNode[], edges: readonly GraphEdge[]): Map<Id, number> {
  const after = new Map<Id, Id[]>();
  for (const { from, to } of edges) after.set(from, [...(after.get(from) ?? []), to]);
  // Depth-first with an explicit stack, since graphs may be deeper than the call stack.
  const state = new Map<Id, "open" | "done">();
  const finished: Id[] = [];
  const back = new Set<string>();
  for (const { id } of nodes) {
    if (state.has(id)) continue;
    const stack: { id: Id; next: number }[] = [{ id, next: 0 }];
    state.set(id, "open");
    for (let top = stack[stack.length - 1]; top !== undefined; top = stack[stack.length - 1]) {
      const to = after.get(top.id)?.[top.next++];
      if (to === undefined) {
        state.set(top.id, "done");
        finished.push(top.id);
        stack.pop();
      } else if (state.get(to) === "open") {
        back.add(`${top.id} ${to}`);
      } else if (!state.has(to)) {
        state.set(to, "open");
        stack.push({ id: to, next: 0 });
      }
    }
  }
  const layer = new Map<Id, number>();
  for (const id of finished.reverse()) {
    const own = layer.get(id) ?? 0;
    layer.set(id, own);
    for (const to of after.get(id) ?? []) {
      if (!back.has(`${id} ${to}`)) layer.set(to, Math.max(layer.get(to) ?? 0, own + 1));
    }
  }
  return layer;
}
