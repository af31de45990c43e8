// Where the candidate stands under the device's roofs, when the task says how much work it is and the device's peaks
// were measured.
import { useMemo } from "preact/hooks";
import uPlot from "uplot";
import { axis, Plot, type Ink } from "./plot";
import type { Evaluation, Task } from "./types";

interface Point {
  shape: string;
  intensity: number; // flops a byte
  rate: number; // flops a second
  bandwidth: number; // bytes a second
}

export interface Standing {
  candidate: Point[];
  reference: Point[];
  missing: string; // why there is nothing; empty: there is
}

export function standing(task: Task, evaluations: Evaluation[], peaks: Record<string, number>): Standing {
  const out: Standing = { candidate: [], reference: [], missing: "" };
  if (!task.work.flops && !task.work.bytes) return { ...out, missing: "The task declares no work ([work] flops and bytes)." };
  if (!peaks["flops_per_s"]) return { ...out, missing: "The device's peaks were not measured." };
  const latest = new Map<string, { ns: number; baseline: number | null }>();
  for (const e of evaluations)
    for (const t of e.outcome?.shapes ?? [])
      if (t.candidate_ns)
        latest.set(t.shape, { ns: t.candidate_ns.median, baseline: e.baseline === "reference" && t.reference_ns ? t.reference_ns.median : null });
  for (const [shape, { ns, baseline }] of latest) {
    const work = task.shapes.find((s) => s.shape === shape);
    if (!work?.bytes) continue;
    const flops = work.flops ?? 0;
    const at = (time: number): Point => ({
      shape,
      intensity: flops / work.bytes!,
      rate: (flops / time) * 1e9,
      bandwidth: (work.bytes! / time) * 1e9,
    });
    out.candidate.push(at(ns));
    if (baseline) out.reference.push(at(baseline));
  }
  if (out.candidate.length === 0) out.missing = "This candidate was not timed at a shape whose work is known.";
  return out;
}

const roofs = [
  ["l1", "--series-3"],
  ["l2", "--series-4"],
  ["l3", "--series-5"],
  ["dram", "--series-6"],
] as const;

function gigabytes(x: number): string {
  return `${(x / 1e9).toPrecision(3)} GB/s`;
}

function chart(s: Standing, peaks: Record<string, number>): { data: uPlot.AlignedData; levels: (typeof roofs)[number][] } {
  const top = peaks["flops_per_s"]!;
  const levels = roofs.filter(([name]) => peaks[`${name}_bytes_per_s`]);
  const points = [...s.candidate, ...s.reference].filter((p) => p.intensity > 0);
  const ridges = levels.map(([name]) => top / peaks[`${name}_bytes_per_s`]!);
  const all = [...points.map((p) => p.intensity), ...ridges];
  const [low, high] = [Math.min(...all) / 4, Math.max(...all) * 4];
  // One row for every point, so that shapes of the same intensity are all seen.
  const rows = [
    ...[low, ...ridges, high].map((i) => ({ x: i, candidate: null as number | null, reference: null as number | null })),
    ...s.candidate.filter((p) => p.intensity > 0).map((p) => ({ x: p.intensity, candidate: p.rate / 1e9, reference: null })),
    ...s.reference.filter((p) => p.intensity > 0).map((p) => ({ x: p.intensity, candidate: null, reference: p.rate / 1e9 })),
  ].sort((a, b) => a.x - b.x);
  const x = rows.map((r) => r.x);
  const lines = levels.map(([name]) => x.map((i) => Math.min(top, i * peaks[`${name}_bytes_per_s`]!) / 1e9));
  return { data: [x, ...lines, rows.map((r) => r.candidate), rows.map((r) => r.reference)], levels };
}

function options(ink: Ink, levels: (typeof roofs)[number][]): Omit<uPlot.Options, "width" | "height"> {
  const digits = (_: unknown, at: (number | null)[]) => at.map((v) => (v === null ? "" : `${+v.toPrecision(2)}`));
  const said = (_: unknown, v: number | null) => (v === null ? "—" : v.toPrecision(3));
  const points = (label: string, colour: string) => ({
    label,
    stroke: ink(colour),
    paths: () => null,
    points: { show: true, size: 9, fill: ink(colour) },
    value: said,
  });
  return {
    scales: { x: { time: false, distr: 3 }, y: { distr: 3 } },
    axes: [axis(ink, "flops a byte", { values: digits }), axis(ink, "Gflop/s", { size: 60, values: digits })],
    series: [
      { label: "flops a byte", value: said },
      ...levels.map(([name, colour]) => ({ label: `${name} roof`, stroke: ink(colour), width: 1.5, points: { show: false }, value: said })),
      points("candidate", "--series-1"),
      points("reference", "--series-2"),
    ],
  };
}

export function Roofline({ task, evaluations, peaks }: { task: Task; evaluations: Evaluation[]; peaks: Record<string, number> }) {
  const s = useMemo(() => standing(task, evaluations, peaks), [task, evaluations, peaks]);
  const drawable = !s.missing && s.candidate.some((p) => p.intensity > 0);
  const made = useMemo(() => (drawable ? chart(s, peaks) : null), [s]);
  if (s.missing) return <p class="note">No roofline: {s.missing}</p>;
  return (
    <>
      {made && (
        <Plot
          options={(ink) => options(ink, made.levels)}
          data={made.data}
          label={`roofline: ${s.candidate.map((p) => `${p.shape}: ${(p.rate / 1e9).toPrecision(3)} Gflop/s`).join("; ")}`}
        />
      )}
      <ul class="plain">
        {s.candidate.map((p) => (
          <li key={p.shape}>
            {p.shape}: {p.intensity > 0 ? `${(p.rate / 1e9).toPrecision(3)} Gflop/s at ${p.intensity.toPrecision(3)} flops a byte, ` : ""}
            {gigabytes(p.bandwidth)}
            {peaks["dram_bytes_per_s"] ? ` (memory gives ${gigabytes(peaks["dram_bytes_per_s"])})` : ""}
          </li>
        ))}
      </ul>
      <p class="note">The work is the least that any implementation must do; caches let a candidate pass the memory roof.</p>
    </>
  );
}
