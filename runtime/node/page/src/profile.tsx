// Shows why the candidate is slow: the passes of its profile in order, the findings, and the kernels of a device's call.
// The loops of one call are a flame graph. Below stands the total of a campaign's profiles.
import { campaignPath } from "./api";
import { count, seconds, short, visible, words } from "./format";
import { Facts, Loading, Trouble, useGet } from "./parts";
import type { Diagnosis, DiagnosisKernel, DiagnosisLoop, Profile, ProfilePass, Profiling } from "./types";

const percent = (share: number) => `${Math.round(share * 100)} %`;
const time = (ns: number) => seconds(ns / 1e9);

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
            <b>{visible(f.title)}</b>
            {f.lines.length > 0 && `, ${lines(f.lines)}`}: {percent(f.share)} of the call, confidence {percent(f.confidence)}. {visible(f.words)} ({visible(f.pass)}).
            {" "}
            {visible(f.strategy)}
          </li>
        ))}
      </ol>
    </>
  );
}

function passCost(p: ProfilePass): string {
  if (p.state === "reused") return "stored before";
  const slower = p.perturbation ? `, makes the call ${percent(p.perturbation)} slower` : "";
  return `${seconds(p.seconds)}${slower}${p.instrumented_build ? ", on another build" : ""}`;
}

function Passes({ p }: { p: Profile }) {
  const ran = p.passes.filter((x) => x.state !== "skipped");
  const skipped = p.passes.filter((x) => x.state === "skipped");
  return (
    <>
      <h3>Passes</h3>
      <Facts of={ran.map((x) => [visible(x.name), `${passCost(x)}: ${Object.entries(x.artefacts).map(([kind, digest]) => `${words(kind)} ${short(digest)}`).join(", ") || "no artefact"}`])} />
      {skipped.length > 0 && (
        <>
          <h3>Skipped</h3>
          <Facts of={skipped.map((x) => [visible(x.name), <span class="foreign">{visible(x.reason ?? "")}{x.remedy ? `; ${visible(x.remedy)}` : ""}</span>])} />
        </>
      )}
    </>
  );
}

export function ProfileView({ id, index }: { id: string; index: number }) {
  const profile = useGet<Profile>(`${campaignPath(id)}/candidates/${index}/profile`);
  if (profile.problem) return <Trouble problem={profile.problem} again={profile.again} />;
  if (profile.value === null) return <Loading what="the profile" />;
  const p = profile.value;
  if (p.passes.length === 0)
    return <p class="note">Not profiled. Profile it with <code>{`kevolve profile ${short(id)} ${index}`}</code>.</p>;
  const kernels = p.diagnosis?.kernels ?? [];
  return (
    <>
      {p.diagnosis && <Findings d={p.diagnosis} />}
      {p.diagnosis && kernels.length > 0 ? <Kernels of={kernels} /> : p.diagnosis && <FlameGraph d={p.diagnosis} />}
      <Passes p={p} />
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
