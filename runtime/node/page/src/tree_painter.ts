// Draws a laid-out tree on a canvas and finds what lies under a point. Thousands of nodes a frame: one path per
// colour, nothing outside the view.
import { failed } from "./colours";
import type { Layout, Placed } from "./layout";

export interface View {
  x: number; // of the layout's origin, pixels
  y: number;
  sx: number; // pixels a layer
  sy: number; // pixels a row
}

export interface Picture {
  layout: Layout;
  colourOf: (p: Placed) => string; // resolved
  path: Set<number>; // to the best
  best: number | undefined;
  selected: number | null;
  hovered: number | null;
  ink: Record<"edge" | "path" | "paper" | "focus" | "label", string>;
}

const margin = 28;

export function fitted(layout: Layout, width: number, height: number): View {
  const sx = Math.min(360, Math.max(8, (width - 2 * margin) / layout.width));
  const sy = Math.min(26, (height - 2 * margin) / layout.height);
  return { x: margin, y: Math.max(margin, (height - layout.height * sy) / 2), sx, sy };
}

export function radiusOf(view: View): number {
  return Math.max(2.2, Math.min(7, 0.45 * view.sy));
}

const px = (v: View, p: Placed) => v.x + p.x * v.sx;
const py = (v: View, p: Placed) => v.y + p.y * v.sy;

function edge(c: CanvasRenderingContext2D, v: View, from: Placed, to: Placed): void {
  const [x0, y0, x1, y1] = [px(v, from), py(v, from), px(v, to), py(v, to)];
  const middle = (x0 + x1) / 2;
  c.moveTo(x0, y0);
  if (v.sy < 3) c.lineTo(x1, y1);
  else c.bezierCurveTo(middle, y0, middle, y1, x1, y1);
}

function drawEdges(c: CanvasRenderingContext2D, v: View, picture: Picture, seen: (p: Placed) => boolean): void {
  c.lineWidth = 1;
  c.strokeStyle = picture.ink.edge;
  c.beginPath();
  for (const p of picture.layout.all) if (p.parent && (seen(p) || seen(p.parent))) edge(c, v, p.parent, p);
  c.stroke();
  c.setLineDash([3, 3]);
  c.beginPath();
  for (const p of picture.layout.all) if (p.others.length > 0 && seen(p)) for (const o of p.others) edge(c, v, o, p);
  c.stroke();
  c.setLineDash([]);
  c.lineWidth = 3;
  c.strokeStyle = picture.ink.path;
  c.beginPath();
  for (const i of picture.path) {
    const p = picture.layout.byIndex.get(i);
    if (p?.parent) edge(c, v, p.parent, p);
  }
  c.stroke();
}

function drawNodes(c: CanvasRenderingContext2D, v: View, picture: Picture, seen: (p: Placed) => boolean): void {
  const r = radiusOf(v);
  const filled = new Map<string, Placed[]>();
  const crossed = new Map<string, Placed[]>();
  const open = new Map<string, Placed[]>();
  for (const p of picture.layout.all) {
    if (!seen(p)) continue;
    const kind = failed(p.node) ? crossed : p.node.state === "in_flight" || p.node.state === "abandoned" ? open : filled;
    const colour = picture.colourOf(p);
    const list = kind.get(colour);
    if (list) list.push(p);
    else kind.set(colour, [p]);
  }
  for (const [colour, list] of filled) {
    c.fillStyle = colour;
    c.beginPath();
    for (const p of list) {
      const [x, y] = [px(v, p), py(v, p)];
      if (p.node.verdict === "reference") c.rect(x - r, y - r, 2 * r, 2 * r);
      else {
        c.moveTo(x + r, y);
        c.arc(x, y, r, 0, 2 * Math.PI);
      }
    }
    c.fill();
  }
  c.lineWidth = Math.max(1.2, r / 3);
  for (const [colour, list] of crossed) {
    c.strokeStyle = colour;
    c.beginPath();
    const h = r * 0.8;
    for (const p of list) {
      const [x, y] = [px(v, p), py(v, p)];
      c.moveTo(x - h, y - h);
      c.lineTo(x + h, y + h);
      c.moveTo(x - h, y + h);
      c.lineTo(x + h, y - h);
    }
    c.stroke();
  }
  for (const [colour, list] of open) {
    c.strokeStyle = colour;
    c.beginPath();
    for (const p of list) {
      c.moveTo(px(v, p) + r, py(v, p));
      c.arc(px(v, p), py(v, p), r, 0, 2 * Math.PI);
    }
    c.stroke();
  }
}

function ring(c: CanvasRenderingContext2D, v: View, p: Placed, extra: number, colour: string): void {
  c.strokeStyle = colour;
  c.lineWidth = 2.5;
  c.beginPath();
  c.arc(px(v, p), py(v, p), radiusOf(v) + extra, 0, 2 * Math.PI);
  c.stroke();
}

export function paint(c: CanvasRenderingContext2D, width: number, height: number, v: View, picture: Picture): void {
  c.fillStyle = picture.ink.paper;
  c.fillRect(0, 0, width, height);
  const slack = 12;
  const seen = (p: Placed) => {
    const [x, y] = [px(v, p), py(v, p)];
    return x > -slack && x < width + slack && y > -slack && y < height + slack;
  };
  drawEdges(c, v, picture, seen);
  drawNodes(c, v, picture, seen);
  const of = (i: number | null | undefined) => (i === null || i === undefined ? undefined : picture.layout.byIndex.get(i));
  const best = of(picture.best);
  if (best) ring(c, v, best, 4, picture.ink.path);
  const hovered = of(picture.hovered);
  if (hovered) ring(c, v, hovered, 3, picture.ink.label);
  const selected = of(picture.selected);
  if (selected) ring(c, v, selected, 5, picture.ink.focus);
  if (v.sy < 13) return;
  c.fillStyle = picture.ink.label;
  c.font = "11px system-ui, sans-serif";
  c.textBaseline = "middle";
  for (const p of picture.layout.all)
    if (seen(p)) c.fillText(String(p.node.index), px(v, p) + radiusOf(v) + 5, py(v, p) - (p.children.length > 0 ? 9 : 0));
}

// The node nearest to a point, within a finger's width.
export function nodeAt(layout: Layout, v: View, x: number, y: number): Placed | null {
  let found: Placed | null = null;
  let nearest = (radiusOf(v) + 6) ** 2;
  for (const p of layout.all) {
    const distance = (px(v, p) - x) ** 2 + (py(v, p) - y) ** 2;
    if (distance < nearest) {
      nearest = distance;
      found = p;
    }
  }
  return found;
}

// The view after zooming by `factor` around a point, within what still shows something.
export function zoomed(v: View, factor: number, x: number, y: number): View {
  const limit = (s: number, low: number, high: number) => Math.max(low, Math.min(high, s * factor));
  const sx = limit(v.sx, 2, 400);
  const sy = limit(v.sy, 0.02, 60);
  return { sx, sy, x: x - ((x - v.x) * sx) / v.sx, y: y - ((y - v.y) * sy) / v.sy };
}

// The view moved just so far that a node is seen.
export function showing(v: View, p: Placed, width: number, height: number): View {
  const into = (at: number, size: number) => (at < margin ? margin - at : at > size - margin ? size - margin - at : 0);
  return { ...v, x: v.x + into(px(v, p), width), y: v.y + into(py(v, p), height) };
}

export const placeOf = (v: View, p: Placed): { x: number; y: number } => ({ x: px(v, p), y: py(v, p) });
