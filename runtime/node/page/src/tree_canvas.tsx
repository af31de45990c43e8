// The search tree under a person's hands: pan, zoom, hover, click; arrow keys walk it.
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { colouring, scaleSteps, speedRange, type ColourBy, type LegendEntry, type SpeedRange } from "./colours";
import { interval, speedup, visible, words } from "./format";
import { layout, type Layout, type Placed } from "./layout";
import { links } from "./route";
import type { Story, TreeNode } from "./story";
import { resolved, useTheme } from "./theme";
import { fitted, nodeAt, paint, placeOf, showing, zoomed, type Picture, type View } from "./tree_painter";

export function describe(n: TreeNode): string {
  if (n.verdict === "reference") return "the reference";
  const state =
    n.state === "in_flight" || n.state === "abandoned" ? words(n.state) : words(n.verdict ?? "fault of the machine");
  const speed = n.speedup > 0 ? `, ${speedup(n.speedup)} ${n.estimate ? "(rough)" : interval(n)}` : "";
  return `candidate ${n.index}: ${state}${n.rule ? ` (${words(n.rule)})` : ""}${speed}${n.generator ? `, ${visible(n.generator)}` : ""}${n.summary ? `: ${visible(n.summary)}` : ""}`;
}

function neighbour(at: Placed, key: string): Placed | undefined {
  if (key === "ArrowLeft") return at.parent ?? undefined;
  if (key === "ArrowRight") return at.children[0];
  const row = at.parent?.children ?? [];
  const i = row.indexOf(at);
  return row[key === "ArrowDown" ? i + 1 : i - 1];
}

// The state that changes without a render: the canvas draws itself, once a frame at most.
class Stage {
  view: View | null = null;
  picture: Picture | null = null;
  private asked = 0;
  constructor(readonly canvas: HTMLCanvasElement) {}

  redraw = () => {
    this.asked ||= requestAnimationFrame(() => {
      this.asked = 0;
      this.draw();
    });
  };
  end() {
    cancelAnimationFrame(this.asked);
  }
  get size() {
    return { width: this.canvas.clientWidth, height: this.canvas.clientHeight };
  }
  private draw() {
    const { width, height } = this.size;
    const context = this.canvas.getContext("2d");
    if (!context || !this.picture || width === 0) return;
    this.view ??= fitted(this.picture.layout, width, height);
    const dense = devicePixelRatio || 1;
    if (this.canvas.width !== Math.round(width * dense)) this.canvas.width = Math.round(width * dense);
    if (this.canvas.height !== Math.round(height * dense)) this.canvas.height = Math.round(height * dense);
    context.setTransform(dense, 0, 0, dense, 0, 0);
    paint(context, width, height, this.view, this.picture);
  }
}

function useHands(stage: { current: Stage | null }, canvas: { current: HTMLCanvasElement | null }, hands: Hands) {
  const latest = useRef(hands);
  latest.current = hands;
  useEffect(() => {
    const element = canvas.current!;
    const own = (stage.current = new Stage(element));
    const held = new Map<number, { x: number; y: number }>();
    let travelled = 0;
    const at = (e: MouseEvent) => {
      const box = element.getBoundingClientRect();
      return { x: e.clientX - box.left, y: e.clientY - box.top };
    };
    const find = (p: { x: number; y: number }) =>
      own.view && own.picture ? nodeAt(own.picture.layout, own.view, p.x, p.y) : null;
    const down = (e: PointerEvent) => {
      element.setPointerCapture(e.pointerId);
      held.set(e.pointerId, at(e));
      if (held.size === 1) travelled = 0;
    };
    const move = (e: PointerEvent) => {
      const now = at(e);
      const before = held.get(e.pointerId);
      if (!before || !own.view) {
        latest.current.hover(find(now), now);
        return;
      }
      travelled += Math.abs(now.x - before.x) + Math.abs(now.y - before.y);
      const other = [...held].find(([id]) => id !== e.pointerId)?.[1];
      if (other) {
        const spread = (p: { x: number; y: number }) => Math.hypot(p.x - other.x, p.y - other.y);
        own.view = zoomed(own.view, spread(now) / Math.max(1, spread(before)), other.x, other.y);
      } else own.view = { ...own.view, x: own.view.x + now.x - before.x, y: own.view.y + now.y - before.y };
      held.set(e.pointerId, now);
      own.redraw();
    };
    const up = (e: PointerEvent) => {
      const pressed = held.delete(e.pointerId);
      const found = find(at(e));
      if (pressed && travelled < 5 && found && e.type === "pointerup") latest.current.open(found);
    };
    const wheel = (e: WheelEvent) => {
      if (!own.view) return;
      e.preventDefault();
      const p = at(e);
      own.view = zoomed(own.view, Math.exp(-e.deltaY / 400), p.x, p.y);
      own.redraw();
    };
    const leave = () => latest.current.hover(null, { x: 0, y: 0 });
    element.addEventListener("pointerdown", down);
    element.addEventListener("pointermove", move);
    element.addEventListener("pointerup", up);
    element.addEventListener("pointercancel", up);
    element.addEventListener("pointerleave", leave);
    element.addEventListener("wheel", wheel, { passive: false });
    const resized = new ResizeObserver(own.redraw);
    resized.observe(element);
    return () => (resized.disconnect(), own.end()); // the listeners go with the element
  }, []);
}

interface Hands {
  hover: (p: Placed | null, at: { x: number; y: number }) => void;
  open: (p: Placed) => void;
}

function Legend({ by, legend, range }: { by: ColourBy; legend: LegendEntry[]; range: SpeedRange }) {
  if (by === "speedup")
    return (
      <p class="legend">
        <span>{speedup(range.low)}</span>
        <span class="scale" aria-hidden="true">
          {scaleSteps.map((c) => (
            <i key={c} style={{ background: c }} />
          ))}
        </span>
        <span>{speedup(range.high)}</span>
        <span>× no speedup: failed · ○ in flight</span>
      </p>
    );
  return (
    <ul class="legend">
      {legend.map((e) => (
        <li key={e.label}>
          <i class={`mark ${e.mark}`} style={{ color: `var(${e.colour})` }} aria-hidden="true" /> {e.label}{" "}
          <b>{e.count}</b>
        </li>
      ))}
    </ul>
  );
}

export function TreeCanvas({ id, story, version }: { id: string; story: Story; version: number }) {
  const [by, setBy] = useState<ColourBy>("speedup");
  const [selected, setSelected] = useState<number | null>(null);
  const [hover, setHover] = useState<{ index: number; x: number; y: number } | null>(null);
  const canvas = useRef<HTMLCanvasElement>(null);
  const stage = useRef<Stage | null>(null);
  const theme = useTheme();
  const placed: Layout = useMemo(() => layout(story.nodes), [story, version]);
  const colour = useMemo(() => colouring(by, [...story.nodes.values()]), [by, story, version]);
  const range = useMemo(() => speedRange(story.nodes.values()), [story, version]);
  const open = (p: Placed) => (location.hash = links.node(id, p.node.index));
  useHands(stage, canvas, {
    open,
    hover: (p, at) => {
      setHover(p ? { index: p.node.index, ...at } : null);
      if (canvas.current) canvas.current.style.cursor = p ? "pointer" : "grab";
    },
  });

  useEffect(() => {
    const known = new Map<string, string>();
    const inked = (name: string) => known.get(name) ?? (known.set(name, resolved(name)), known.get(name)!);
    const own = stage.current!;
    const grown = own.picture !== null && own.picture.layout.all.length !== placed.all.length;
    own.picture = {
      layout: placed,
      colourOf: (p) => inked(colour.of(p.node)),
      path: story.bestPath(),
      best: story.best?.index,
      selected,
      hovered: hover?.index ?? null,
      ink: {
        edge: inked("--edge"),
        path: inked("--best"),
        paper: inked("--paper"),
        focus: inked("--focus"),
        label: inked("--ink"),
      },
    };
    if (grown && !touched.current) own.view = null; // a view nobody has moved follows the tree
    own.redraw();
  }, [placed, colour, selected, hover?.index, theme]);

  const touched = useRef(false);
  const zoom = (factor: number) => {
    const own = stage.current!;
    touched.current = true;
    if (own.view) own.view = zoomed(own.view, factor, own.size.width / 2, own.size.height / 2);
    own.redraw();
  };
  const fit = () => {
    touched.current = false;
    stage.current!.view = null;
    stage.current!.redraw();
  };
  const key = (e: KeyboardEvent) => {
    const at = placed.byIndex.get(selected ?? 0);
    if (e.key === "+" || e.key === "=") zoom(1.3);
    else if (e.key === "-") zoom(1 / 1.3);
    else if (e.key === "0") fit();
    else if (e.key === "b" && story.best) choose(placed.byIndex.get(story.best.index));
    else if ((e.key === "Enter" || e.key === " ") && at) open(at);
    else if (e.key.startsWith("Arrow") && at) choose(selected === null ? at : neighbour(at, e.key));
    else return;
    e.preventDefault();
  };
  const choose = (p: Placed | undefined) => {
    const own = stage.current!;
    if (!p) return;
    setSelected(p.node.index);
    if (own.view) own.view = showing(own.view, p, own.size.width, own.size.height);
  };
  const shown = placed.byIndex.get(hover?.index ?? selected ?? -1);
  const where = hover ?? (shown && stage.current?.view ? placeOf(stage.current.view, shown) : null);
  return (
    <section aria-label="search tree">
      <div class="bar">
        <h2>Search tree</h2>
        <label>
          colour by{" "}
          <select value={by} onChange={(e) => setBy(e.currentTarget.value as ColourBy)}>
            <option value="speedup">speedup</option>
            <option value="verdict">verdict</option>
            <option value="generator">generator</option>
            <option value="policy">policy</option>
            <option value="island">island</option>
          </select>
        </label>
        <button onClick={() => zoom(1.4)} aria-label="zoom in">+</button>
        <button onClick={() => zoom(1 / 1.4)} aria-label="zoom out">−</button>
        <button onClick={fit}>fit</button>
      </div>
      <div class="stage">
        <canvas
          ref={canvas}
          class="tree"
          tabIndex={0}
          role="application"
          aria-label={`search tree of ${story.nodes.size} candidates; arrow keys walk it, Enter opens, b goes to the best, + and - zoom, 0 fits`}
          onKeyDown={key}
          onPointerDown={() => (touched.current = true)}
          onWheel={() => (touched.current = true)}
        />
        {shown && where && (
          <div class="tip" style={{ left: `min(${Math.round(where.x + 14)}px, 100% - 16rem)`, top: `${Math.round(where.y + 14)}px` }}>
            <b>{describe(shown.node)}</b>
            {shown.node.summary && <span class="foreign">{visible(shown.node.summary)}</span>}
          </div>
        )}
      </div>
      <p class="unseen" aria-live="polite">
        {selected !== null && shown ? describe(shown.node) : ""}
      </p>
      <Legend by={by} legend={colour.legend} range={range} />
    </section>
  );
}
