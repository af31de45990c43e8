// Shows a diagnosis: the findings with evidence and advice, and the kernels of a device's call. The loops of one call are
// a flame graph and a table. Below stands the total of a campaign's profiles.
import { count, nanoseconds, seconds, visible, words } from "./format";
import { Code, Facts } from "./parts";
import type { Diagnosis, DiagnosisKernel, DiagnosisLoop, Finding, Profiling } from "./types";

export const percent = (share: number) => `${Math.round(share * 100)} %`;
const time = nanoseconds;

interface Bar {
  loop: DiagnosisLoop;
  depth: number;
  from: number; // share of the call before it
  width: number; // share of the call
}

// Lays inner loops side by side above the loop around them; a parent comes before its loops.
export function bars(loops: DiagnosisLoop[], callNs: number): Bar[] {
  const made: (Bar | null)[] = [];
  const next: number[] = [];
  let outer = 0;
  for (const loop of loops) {
    const above = loop.parent >= 0 && loop.parent < made.length ? made[loop.parent] : null;
    const width = Math.max(0, Math.min((loop.ns ?? 0) / callNs, 1));
    if ((loop.parent >= 0 && !above) || width === 0 || !Number.isFinite(width)) {
      made.push(null);
      next.push(0);
      continue;
    }
    const from = above ? next[loop.parent]! : outer;
    if (above) next[loop.parent] = from + width;
    else outer = from + width;
    made.push({ loop, depth: above ? above.depth + 1 : 0, from, width });
    next.push(from);
  }
  return made.filter((b): b is Bar => b !== null);
}

function FlameGraph({ d }: { d: Diagnosis }) {
  const outer = d.loops.filter((l) => l.parent < 0).reduce((sum, l) => sum + (l.ns ?? 0), 0);
  const callNs = Math.max(d.probed_call_ns ?? d.call_ns ?? 0, outer);
  const drawn = callNs ? bars(d.loops, callNs) : [];
  if (drawn.length === 0) return <p class="note">No pass timed the loops.</p>;
  const row = 22;
  const depth = Math.max(...drawn.map((b) => b.depth)) + 1;
  const say = (b: Bar) => `line ${b.loop.line}: ${time(b.loop.ns ?? 0)}, ${percent(b.width)} of the call, ${percent(b.loop.share ?? 0)} without the loops inside`;
  return (
    <svg class="flame" role="img" aria-label={`time by loop: ${drawn.map(say).join("; ")}`} width="100%" height={row * (depth + 1)}>
      <g>
        <rect x="0" y={row * depth} width="100%" height={row - 2} class="call" />
        <text x="0.5%" y={row * depth + 15}>{`one call: ${time(callNs)}`}</text>
      </g>
      {drawn.map((b) => (
        <g key={`${b.depth} ${b.from}`}>
          <title>{say(b)}</title>
          <rect x={`${b.from * 100}%`} y={row * (depth - 1 - b.depth)} width={`${b.width * 100}%`} height={row - 2} class="loop" />
          {b.width > 0.08 && <text x={`${b.from * 100 + 0.5}%`} y={row * (depth - 1 - b.depth) + 15}>{`line ${b.loop.line}`}</text>}
        </g>
      ))}
    </svg>
  );
}

// The kernels of a device's call, in the order of the diagnosis: the one that takes most time first.
function Kernels({ of }: { of: DiagnosisKernel[] }) {
  const shareOf = (x: number | null) => (x === null ? "unknown" : percent(x));
  return (
    <div class="wide">
      <table class="kernels">
        <thead>
          <tr>
            <th>kernel</th>
            <th class="number">launches</th>
            <th class="number">time</th>
            <th class="number">of the call</th>
            <th class="number">registers</th>
            <th class="number">occupancy</th>
            <th>limited by</th>
          </tr>
        </thead>
        <tbody>
          {of.map((k, i) => (
            <tr key={i}>
              <th scope="row" class="foreign">{visible(k.kernel)}</th>
              <td class="number">{count(k.launches)}</td>
              <td class="number">{seconds(k.ns === null ? null : k.ns / 1e9)}</td>
              <td class="number">{shareOf(k.share)}</td>
              <td class="number">{count(k.registers)}</td>
              <td class="number">{shareOf(k.occupancy)}</td>
              <td class="foreign">{k.limit === null ? "unknown" : words(k.limit)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function lines(of: { first: number; last: number }[]): string {
  return of.map((l) => (l.first === l.last ? `line ${l.first}` : `lines ${l.first} to ${l.last}`)).join(", ");
}

// The loops as a table, without the time of the loops inside: what the flame graph has no room for.
function Loops({ of }: { of: DiagnosisLoop[] }) {
  const most = 12;
  const figure = (x: number | null | undefined) => (x === null || x === undefined ? "unknown" : String(+x.toPrecision(4)));
  if (of.length === 0) return null;
  return (
    <div class="wide">
      <table class="loops">
        <thead>
          <tr>
            <th>loop</th>
            <th class="number">time of its own</th>
            <th class="number">of the call</th>
            <th class="number">entries</th>
            <th class="number">trips of an entry</th>
            <th class="number">lanes</th>
          </tr>
        </thead>
        <tbody>
          {of.slice(0, most).map((l, i) => (
            <tr key={i}>
              <th scope="row">line {l.line}</th>
              <td class="number">{l.self_ns === null ? "unknown" : time(l.self_ns)}</td>
              <td class="number">{l.share === null ? "unknown" : percent(l.share)}</td>
              <td class="number">{figure(l.entries)}</td>
              <td class="number">{figure(l.trips)}</td>
              <td class="number">{figure(l.vector_lanes)}</td>
            </tr>
          ))}
        </tbody>
      </table>
      {of.length > most && <p class="note">{count(of.length - most)} further loops are in the profile.</p>}
    </div>
  );
}

function FindingView({ f }: { f: Finding }) {
  const evidence = Object.entries(f.evidence ?? {}).map(([name, x]) => `${words(name)} ${+x.toPrecision(4)}`);
  return (
    <>
      <b>{visible(f.title)}</b>
      {f.lines.length > 0 && `, ${lines(f.lines)}`}: {percent(f.share)} of the call, confidence {percent(f.confidence)}
      {f.headroom ? `, ${+f.headroom.toPrecision(3)} times as fast without it` : ""}
      <Facts
        of={[
          ["evidence", <>{visible(f.words)} ({visible(f.pass)}){evidence.length > 0 && <small>: {evidence.join(", ")}</small>}</>],
          ["advice", visible(f.strategy)],
        ]}
      />
    </>
  );
}

function Findings({ d }: { d: Diagnosis }) {
  return (
    <>
      <Facts
        of={[
          ["bound by", d.bound && d.bound.class !== "unknown" ? <><b>{visible(d.bound.title)}</b> (confidence {percent(d.bound.confidence)})</> : "no pass could name it"],
          ["roof", d.roof ? `${time(d.roof.ns)} by ${words(d.roof.by)}: ${+d.roof.headroom.toPrecision(3)} times faster` : "unknown"],
          ["shape", visible(d.shape)],
        ]}
      />
      <ol>
        {d.findings.map((f, i) => (
          <li key={i} class="foreign">
            <FindingView f={f} />
          </li>
        ))}
      </ol>
    </>
  );
}

export function DiagnosisView({ d }: { d: Diagnosis }) {
  const kernels = d.kernels ?? [];
  return (
    <>
      <Findings d={d} />
      {kernels.length > 0 ? <Kernels of={kernels} /> : <><FlameGraph d={d} /><Loops of={d.loops} /></>}
      {d.timed_share !== null && d.timed_share !== undefined && <p class="note">The timed loops add up to {percent(d.timed_share)} of the instrumented call.</p>}
      {d.assembly && (
        <>
          <h3>Machine code of the loop that takes the time</h3>
          <Code text={d.assembly} label="machine code" />
        </>
      )}
    </>
  );
}

// Says what the campaign has spent on profiles of its own candidates, and how many each bottleneck bounds.
export function profilingTotal(p: Profiling): string {
  const bounds = Object.entries(p.bounds).map(([bound, n]) => `${words(bound)} ${count(n)}`);
  const failed = p.failed > 0 ? `; ${count(p.failed)} failed, the last: ${visible(p.last_failure ?? "unknown")}` : "";
  const spent = `${count(p.profiles)} ${p.profiles === 1 ? "candidate" : "candidates"} in ${seconds(p.seconds)}, at most ${percent(p.share)} of the time allowed`;
  return `${spent}${bounds.length > 0 ? `; bound by ${bounds.join(", ")}` : ""}${failed}`;
}
