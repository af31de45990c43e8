// A paired comparison's samples as two distributions over one axis: the baseline's and the candidate's.
import { useMemo, useState } from "preact/hooks";
import uPlot from "uplot";
import { interval, nanoseconds, speedup, stageName, timeUnit } from "./format";
import { axis, Plot, type Ink } from "./plot";
import type { Evaluation, ShapeTiming } from "./types";

export interface Histogram {
  unit: string;
  centres: number[];
  baseline: number[];
  candidate: number[];
}

// Equal bins over both sets of samples, so that their widths can be compared.
export function histogram(baseline: number[], candidate: number[]): Histogram {
  const all = [...baseline, ...candidate];
  const low = Math.min(...all);
  const high = Math.max(...all);
  const unit = timeUnit(high);
  const bins = Math.max(8, Math.min(60, Math.ceil(2 * Math.sqrt(all.length)) * 2));
  const width = (high - low || high * 0.01 || 1) / bins;
  const tally = (samples: number[]) => {
    const out = new Array<number>(bins).fill(0);
    for (const s of samples) out[Math.min(bins - 1, Math.floor((s - low) / width))]! += 1;
    return out;
  };
  const centres = Array.from({ length: bins }, (_, i) => (low + (i + 0.5) * width) / unit.ns);
  return { unit: unit.name, centres, baseline: tally(baseline), candidate: tally(candidate) };
}

function options(ink: Ink, { unit, centres }: Histogram, baseline: string): Omit<uPlot.Options, "width" | "height"> {
  const half = centres.length > 1 ? (centres[1]! - centres[0]!) / 2 : 0.5;
  const bars = uPlot.paths.bars!({ size: [1, 100], gap: 0 });
  return {
    scales: { x: { time: false, range: (_, low, high) => [low - half, high + half] }, y: { range: (_, __, high) => [0, Math.max(1, high)] } },
    axes: [axis(ink, `time a call, ${unit}`), axis(ink, "samples", { size: 50 })],
    series: [
      { label: `time, ${unit}`, value: (_, v) => (v === null ? "—" : v.toPrecision(4)) },
      { label: baseline, stroke: ink("--series-2"), fill: ink("--series-2-fill"), paths: bars, points: { show: false } },
      { label: "candidate", stroke: ink("--series-1"), fill: ink("--series-1-fill"), paths: bars, points: { show: false } },
    ],
  };
}

function Shape({ timing, baseline }: { timing: ShapeTiming; baseline: string }) {
  const samples = timing.samples;
  const kept = samples && samples.baseline_ns.length > 0 && samples.candidate_ns.length > 0;
  const made = useMemo(() => (kept ? histogram(samples.baseline_ns, samples.candidate_ns) : null), [timing]);
  const data = useMemo<uPlot.AlignedData>(() => (made ? [made.centres, made.baseline, made.candidate] : [[]]), [made]);
  const side = (s: ShapeTiming["reference_ns"]) =>
    s ? `${nanoseconds(s.median)} (${nanoseconds(s.min)} to ${nanoseconds(s.max)}, ${s.samples} samples)` : "not kept";
  return (
    <>
      <dl class="facts">
        <dt>speedup over {baseline}</dt>
        <dd>
          {speedup(timing.speedup)} {interval(timing)}
        </dd>
        <dt>{baseline}</dt>
        <dd>{side(timing.reference_ns)}</dd>
        <dt>candidate</dt>
        <dd>{side(timing.candidate_ns)}</dd>
        <dt>physics floor</dt>
        <dd>{timing.floor_ns === null ? "unknown" : nanoseconds(timing.floor_ns)}</dd>
      </dl>
      {made ? (
        <Plot
          options={(ink) => options(ink, made, baseline)}
          data={data}
          version={made}
          label={`samples of ${baseline}: ${side(timing.reference_ns)}; of the candidate: ${side(timing.candidate_ns)}`}
        />
      ) : (
        <p class="note">The samples of this comparison were not kept: the campaign's rule drops those of most candidates.</p>
      )}
    </>
  );
}

// Every paired comparison of the candidate, one shape of one comparison at a time.
export function Samples({ evaluations, baselineName }: { evaluations: Evaluation[]; baselineName: (e: Evaluation) => string }) {
  const comparisons = evaluations.flatMap((e) => (e.outcome?.shapes ?? []).map((timing) => ({ e, timing })));
  // At first the last stage, which decided, at a shape that counts.
  const decisive = comparisons.findIndex((r) => r.e === comparisons.at(-1)?.e && !r.timing.held_out);
  const [at, setAt] = useState(Math.max(0, decisive));
  const shown = comparisons[Math.min(at, comparisons.length - 1)];
  if (!shown) return <p class="note">This candidate was not timed.</p>;
  return (
    <>
      <label>
        comparison{" "}
        <select value={at} onChange={(e) => setAt(Number(e.currentTarget.value))}>
          {comparisons.map((r, i) => (
            <option key={i} value={i}>
              {stageName(r.e.stage)}: {r.timing.shape}
              {r.timing.held_out ? " (held out)" : ""}
            </option>
          ))}
        </select>
      </label>
      <Shape timing={shown.timing} baseline={baselineName(shown.e)} />
    </>
  );
}
