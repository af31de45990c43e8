// Best so far, with its interval, against what it took: candidates, time, machine time or money.
import { useMemo, useState } from "preact/hooks";
import uPlot from "uplot";
import { money, seconds, speedup } from "./format";
import { axis, Plot, type Ink } from "./plot";
import type { Story, TreeNode } from "./story";

type Against = "candidates" | "time" | "machine" | "cost";

const axes: Record<Against, string> = {
  candidates: "candidates finished",
  time: "time, s",
  machine: "compiling and judging, s",
  cost: "cost",
};

export interface Progress {
  x: number[];
  best: (number | null)[];
  low: (number | null)[];
  high: (number | null)[];
  tried: (number | null)[];
  unknown: number; // candidates whose share of x nobody knows
}

// The x of every finished candidate; null if unknown.
function positions(story: Story, against: Against): (number | null)[] {
  let spent = 0;
  return story.finished.map((n: TreeNode, i) => {
    if (against === "candidates") return i + 1;
    if (against === "time") return n.wall;
    const own = against === "cost" ? n.cost.cost : (n.cost.compile_s ?? 0) + (n.cost.judge_s ?? 0);
    if (own === null || own === undefined) return null;
    spent += own;
    return spent;
  });
}

export function progress(story: Story, against: Against): Progress {
  const out: Progress = { x: [], best: [], low: [], high: [], tried: [], unknown: 0 };
  const at = positions(story, against);
  let promoted = 0;
  let best: [number, number | null, number | null] | null = null;
  story.finished.forEach((n, i) => {
    while (promoted < story.promotions.length && story.promotions[promoted]!.order <= i + 1) {
      const c = story.promotions[promoted++]!;
      best = [c.speedup, c.interval?.[0] ?? c.speedup, c.interval?.[1] ?? c.speedup];
    }
    const x = at[i];
    if (x === null || x === undefined) {
      out.unknown += 1;
      return;
    }
    out.x.push(x);
    out.best.push(best?.[0] ?? null);
    out.low.push(best?.[1] ?? null);
    out.high.push(best?.[2] ?? null);
    out.tried.push(n.verdict === "pass" && n.speedup > 0 ? n.speedup : null);
  });
  return out;
}

function options(ink: Ink, against: Against): Omit<uPlot.Options, "width" | "height"> {
  const stepped = uPlot.paths.stepped!({ align: 1 });
  const said = (_: uPlot, x: number | null) =>
    x === null || x === undefined ? "—" : against === "cost" ? money(x) : against === "candidates" ? `${x}` : seconds(x);
  return {
    scales: { x: { time: false }, y: { distr: 3, log: 10 } },
    axes: [axis(ink, axes[against]), axis(ink, "speedup, ×", { size: 60, values: (_, at) => at.map((v) => v === null ? "" : `${+v.toPrecision(2)}`) })],
    series: [
      { label: axes[against], value: said },
      { label: "best", stroke: ink("--best"), width: 2.5, paths: stepped, points: { show: false }, value: (_, v) => speedup(v) },
      { label: "interval, low", stroke: ink("--band"), width: 1, paths: stepped, points: { show: false }, value: (_, v) => speedup(v) },
      { label: "interval, high", stroke: ink("--band"), width: 1, paths: stepped, points: { show: false }, value: (_, v) => speedup(v) },
      {
        label: "candidate",
        stroke: ink("--pass"),
        paths: () => null,
        points: { show: true, size: 5, fill: ink("--pass") },
        value: (_, v) => speedup(v),
      },
    ],
    bands: [{ series: [3, 2], fill: ink("--band-fill") }],
    legend: { live: true },
    cursor: { drag: { x: true, y: false } },
  };
}

export function ProgressPlot({ story, version }: { story: Story; version: number }) {
  const [against, setAgainst] = useState<Against>("candidates");
  const p = useMemo(() => progress(story, against), [story, version, against]);
  const data = useMemo<uPlot.AlignedData>(() => [p.x, p.best, p.low, p.high, p.tried], [p]);
  const best = story.best;
  return (
    <section aria-label="best so far">
      <div class="bar">
        <h2>Best so far</h2>
        <label>
          against{" "}
          <select value={against} onChange={(e) => setAgainst(e.currentTarget.value as Against)}>
            <option value="candidates">candidates</option>
            <option value="time">time</option>
            <option value="machine">machine time</option>
            <option value="cost">cost</option>
          </select>
        </label>
      </div>
      {story.finished.length === 0 ? (
        <p class="note">No candidate has finished yet.</p>
      ) : p.x.length === 0 ? (
        <p class="note">
          The cost of all {story.finished.length} candidates is <b>unknown</b>: nobody has stated a price.
        </p>
      ) : (
        <Plot
          options={(ink) => options(ink, against)}
          data={data}
          version={against}
          label={`best speedup against ${axes[against]}: ${best ? `${speedup(best.speedup)} by candidate ${best.index}` : "none yet"}`}
        />
      )}
      {p.x.length > 0 && p.unknown > 0 && (
        <p class="note">{p.unknown} candidates of unknown cost are left out: the curve shows less than was spent.</p>
      )}
    </section>
  );
}
