// A race's samples as two distributions over one axis: the rival it raced and the candidate.
import { useMemo, useState } from "preact/hooks";
import uPlot from "uplot";
import { interval, nanoseconds, speedup, timeUnit } from "./format";
import { axis, Plot, type Ink } from "./plot";
import type { Evaluation, ShapeTiming } from "./types";

export interface Histogram {
  unit: string;
  centres: number[];
  rival: number[];
  candidate: number[];
}

// Equal bins over both sets of samples, so that their widths can be compared.
export function histogram(rival: number[], candidate: number[]): Histogram {
  const all = [...rival, ...candidate];
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
  return { unit: unit.name, centres, rival: tally(rival), candidate: tally(candidate) };
}

function options(ink: Ink, { unit, centres }: Histogram, rival: string): Omit<uPlot.Options, "width" | "height"> {
  const half = centres.length > 1 ? (centres[1]! - centres[0]!) / 2 : 0.5;
  const bars = uPlot.paths.bars!({ size: [1, 100], gap: 0 });
  return {
    scales: { x: { time: false, range: (_, low, high) => [low - half, high + half] }, y: { range: (_, __, high) => [0, Math.max(1, high)] } },
    axes: [axis(ink, `time a call, ${unit}`), axis(ink, "samples", { size: 50 })],
    series: [
      { label: `time, ${unit}`, value: (_, v) => (v === null ? "—" : v.toPrecision(4)) },
      { label: rival, stroke: ink("--series-2"), fill: ink("--series-2-fill"), paths: bars, points: { show: false } },
      { label: "candidate", stroke: ink("--series-1"), fill: ink("--series-1-fill"), paths: bars, points: { show: false } },
    ],
  };
}

function Shape({ timing, rival }: { timing: ShapeTiming; rival: string }) {
  const samples = timing.samples;
  const kept = samples && samples.rival_ns.length > 0 && samples.candidate_ns.length > 0;
  const made = useMemo(() => (kept ? histogram(samples.rival_ns, samples.candidate_ns) : null), [timing]);
  const data = useMemo<uPlot.AlignedData>(() => (made ? [made.centres, made.rival, made.candidate] : [[]]), [made]);
  const side = (s: ShapeTiming["reference_ns"]) =>
    s ? `${nanoseconds(s.median)} (${nanoseconds(s.min)} to ${nanoseconds(s.max)}, ${s.samples} samples)` : "not kept";
  return (
    <>
      <dl class="facts">
        <dt>speedup over {rival}</dt>
        <dd>
          {speedup(timing.speedup)} {interval(timing.ci95)}
        </dd>
        <dt>{rival}</dt>
        <dd>{side(timing.reference_ns)}</dd>
        <dt>candidate</dt>
        <dd>{side(timing.candidate_ns)}</dd>
        <dt>physics floor</dt>
        <dd>{timing.floor_ns === null ? "unknown" : nanoseconds(timing.floor_ns)}</dd>
      </dl>
      {made ? (
        <Plot
          options={(ink) => options(ink, made, rival)}
          data={data}
          version={made}
          label={`samples of ${rival}: ${side(timing.reference_ns)}; of the candidate: ${side(timing.candidate_ns)}`}
        />
      ) : (
        <p class="note">The samples of this race were not kept: the campaign's rule thins those of the many.</p>
      )}
    </>
  );
}

// Every race that the node ran, one shape of one race at a time.
export function Samples({ evaluations, rivalName }: { evaluations: Evaluation[]; rivalName: (e: Evaluation) => string }) {
  const races = evaluations.flatMap((e) => (e.outcome?.shapes ?? []).map((timing) => ({ e, timing })));
  // At first the last stage, which decided, at a shape that counts.
  const decisive = races.findIndex((r) => r.e === races.at(-1)?.e && !r.timing.held_out);
  const [at, setAt] = useState(Math.max(0, decisive));
  const shown = races[Math.min(at, races.length - 1)];
  if (!shown) return <p class="note">This candidate was not timed.</p>;
  return (
    <>
      <label>
        race{" "}
        <select value={at} onChange={(e) => setAt(Number(e.currentTarget.value))}>
          {races.map((r, i) => (
            <option key={i} value={i}>
              {r.e.stage}: {r.timing.shape}
              {r.timing.held_out ? " (held out)" : ""}
            </option>
          ))}
        </select>
      </label>
      <Shape timing={shown.timing} rival={rivalName(shown.e)} />
    </>
  );
}
