// Shows the passes of a profile in the order in which they ran, with the share of its time that each took. A button makes
// a profile.
import { useState } from "preact/hooks";
import { campaignPath, post, Problem } from "./api";
import { count, seconds, short, visible, words } from "./format";
import { Await, Code, Facts, Loading, Trouble, useGet } from "./parts";
import { DiagnosisView, percent } from "./profile";
import type { Artefact, Profile, ProfilePass } from "./types";

const budgetSeconds = 2;

// Returns the share of the profile's time that each pass took; one that was stored before took none.
export function shares(passes: ProfilePass[]): number[] {
  const took = passes.map((p) => (p.state === "ran" && Number.isFinite(p.seconds) ? Math.max(0, p.seconds) : 0));
  const all = took.reduce((sum, x) => sum + x, 0);
  return took.map((x) => (all > 0 ? x / all : 0));
}

// Shows one artefact, which is fetched when it is asked for.
function ArtefactView({ path, digest }: { path: string; digest: string }) {
  const told = useGet<Artefact>(`${path}/artefacts/${digest}`);
  return (
    <Await from={told} what="the artefact">
      {(a) => (
        <>
          <h3>{words(a.kind)} of {visible(a.pass)}</h3>
          {a.text === null ? <p class="note">{count(a.bytes)} bytes that are no text: <code>kevolve profile --stored --artefacts FOLDER</code> writes them.</p> : <Code text={a.text} label={words(a.kind)} />}
        </>
      )}
    </Await>
  );
}

function PassRow({ p, share, show }: { p: ProfilePass; share: number; show: (digest: string) => void }) {
  const made = Object.entries(p.artefacts);
  const disturbs = p.perturbation ? `the call is ${percent(p.perturbation)} slower` : p.instrumented_build ? "not measured" : "nothing";
  return (
    <tr>
      <th scope="row" class="foreign">{visible(p.name)}</th>
      <td class="number">{p.state === "reused" ? "stored before" : seconds(p.seconds)}</td>
      <td class="share">
        {p.state === "ran" && <><span class="part" style={{ "--part": `${100 * share}%` }} /> {percent(share)}</>}
      </td>
      <td>{p.uses ? words(p.uses) : "nothing"}</td>
      <td>{disturbs}{p.instrumented_build && ", on another build"}</td>
      <td class="foreign">
        {made.length === 0 && "no artefact"}
        {made.map(([kind, digest]) => <button key={kind} class="artefact" onClick={() => show(digest)}>{`${words(kind)} ${short(digest)}`}</button>)}
      </td>
    </tr>
  );
}

function Passes({ p, path }: { p: Profile; path: string }) {
  const [shown, setShown] = useState("");
  const ran = p.passes.filter((x) => x.state !== "skipped");
  const skipped = p.passes.filter((x) => x.state === "skipped");
  const of = shares(ran);
  return (
    <>
      <h3>Passes</h3>
      <div class="wide">
        <table class="passes">
          <thead>
            <tr>
              <th>pass</th>
              <th class="number">time</th>
              <th>of all passes</th>
              <th>holds</th>
              <th>disturbs</th>
              <th>makes</th>
            </tr>
          </thead>
          <tbody>{ran.map((x, i) => <PassRow key={i} p={x} share={of[i]!} show={setShown} />)}</tbody>
        </table>
      </div>
      {shown !== "" && <ArtefactView key={shown} path={path} digest={shown} />}
      {skipped.length > 0 && (
        <>
          <h3>Skipped</h3>
          <Facts of={skipped.map((x) => [visible(x.name), <span class="foreign">{visible(x.reason ?? "")}{x.remedy ? `; ${visible(x.remedy)}` : ""}</span>])} />
        </>
      )}
    </>
  );
}

function Make({ path, again }: { path: string; again: () => void }) {
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState<Problem | null>(null);
  const make = async () => {
    setBusy(true);
    setProblem(null);
    try {
      await post(path, { budget_s: budgetSeconds });
      again();
    } catch (e) {
      if (e instanceof Problem) setProblem(e);
    }
    setBusy(false);
  };
  return (
    <>
      <button disabled={busy} onClick={() => void make()}>{busy ? "Profiling…" : `Profile it now, for ${budgetSeconds} s`}</button>
      {problem && <Trouble problem={problem} />}
    </>
  );
}

export function ProfileView({ id, index }: { id: string; index: number }) {
  const path = `${campaignPath(id)}/candidates/${index}/profile`;
  const profile = useGet<Profile>(path);
  if (profile.problem) return <Trouble problem={profile.problem} again={profile.again} />;
  if (profile.value === null) return <Loading what="the profile" />;
  const p = profile.value;
  if (p.passes.length === 0)
    return (
      <>
        <p class="note">Not profiled. Profile it with <code>{`kevolve profile ${short(id)} ${index}`}</code>, or here.</p>
        <Make path={path} again={profile.again} />
      </>
    );
  return (
    <>
      {p.diagnosis && <DiagnosisView d={p.diagnosis} />}
      <Passes p={p} path={path} />
      <Make path={path} again={profile.again} />
    </>
  );
}
