// A candidate whole: everything that made it and everything it was judged by.
import { useEffect, useState } from "preact/hooks";
import { campaignPath, get } from "./api";
import { count, interval, money, reused, seconds, short, speedup, stageName, visible, words } from "./format";
import { Await, Code, Diff, Facts, Fold, useGet, useLoad, Verdict } from "./parts";
import { ProfileView } from "./passes";
import { Retrievals } from "./retrievals";
import { Roofline } from "./roofline";
import { links } from "./route";
import { Samples } from "./samples_plot";
import { Story } from "./story";
import { GivenSkills } from "./view_skills";
import type { Evaluation, History, NodeWhole, Task } from "./types";

const nodeName = (index: number) => (index === 0 ? "the reference" : `candidate ${index}`);

function NodeLink({ id, index }: { id: string; index: number }) {
  return <a href={links.node(id, index)}>{nodeName(index)}</a>;
}

function Head({ id, n }: { id: string; n: NodeWhole }) {
  const p = n.proposal ?? {};
  return (
    <Facts
      of={[
        ["speedup", <><b>{n.estimate ? `~${speedup(n.speedup)}` : speedup(n.speedup)}</b> {interval(n)} {n.confirmed ? "confirmed" : n.estimate ? "a rough figure: it was screened out" : ""}</>],
        ...(n.rule || n.detail ? [["why", <span class="foreign">{n.rule && <b>{words(n.rule)} </b>}{visible(n.detail ?? "")}</span>] as [string, preact.ComponentChildren]] : []),
        ...(n.fault ? [["fault of the machine", <span class="foreign">{visible(`${n.fault.kind}: ${n.fault.detail}`)}</span>] as [string, preact.ComponentChildren]] : []),
        ["parents", (n.parents ?? []).map((i) => <><NodeLink id={id} index={i} />{" "}</>)],
        ["compared with", <NodeLink id={id} index={n.baseline ?? 0} />],
        ...(n.duplicate_of ? [["same as", <NodeLink id={id} index={n.duplicate_of} />] as [string, preact.ComponentChildren]] : []),
        ...(n.reused_from ? [["measured by", <>{reused(n.reused_from)}: not by this campaign</>] as [string, preact.ComponentChildren]] : []),
        ["made by", `${visible(p["generator"] ?? "unknown")}${p["summary"] ? `: ${visible(p["summary"])}` : ""}`],
        ["built as", `${visible(p["language"] ?? "unknown")}, flags ${visible(p["flags"] ?? "unknown")}`],
        ...(p["genome"] ? [["moves", <code class="foreign">{visible(p["genome"])}</code>] as [string, preact.ComponentChildren]] : []),
      ]}
    />
  );
}

function Costs({ n }: { n: NodeWhole }) {
  const c = n.cost ?? {};
  return (
    <Facts
      of={[
        ["cost", money(c.cost)],
        ["tokens in", count(c.tokens_in)],
        ["tokens out", count(c.tokens_out)],
        ["proposing", seconds(c.propose_s)],
        ["compiling", seconds(c.compile_s)],
        ["judging", seconds(c.judge_s)],
        ["from selection to the end", seconds(c.wall_s)],
      ]}
    />
  );
}

function Judgement({ e }: { e: Evaluation }) {
  const o = e.outcome;
  return (
    <section class="judgement">
      <h3>
        {stageName(e.stage)} <Verdict verdict={o ? o.verdict : (e.verdict ?? null)} /> <small>{short(e.id)}, {seconds(e.wall_s)}</small>
      </h3>
      {o && (
        <>
          {o.rule && <p><b>{words(o.rule)}</b></p>}
          {o.detail && <p class="foreign">{visible(o.detail)}</p>}
          {o.fault && <p class="foreign">fault: {visible(`${o.fault.kind}: ${o.fault.detail}`)}</p>}
          <Facts
            of={[
              ["decision", words(o.decision)],
              ...Object.entries(o.correctness).map(([k, v]) => [words(k), v === null ? "unknown" : typeof v === "number" ? String(+v.toPrecision(4)) : v ? "yes" : "no"] as [string, string]),
              ["sandbox", visible(o.sandbox_level ?? "unknown")],
            ]}
          />
          <Facts of={Object.entries(o.evidence).map(([k, v]) => [visible(k), <span class="foreign">{visible(v)}</span>])} />
        </>
      )}
      <p class="note foreign">{Object.entries(e.fingerprint).map(([k, v]) => `${k} ${short(v)}`).join(", ")}</p>
    </section>
  );
}

// The task and the device's peaks, which the campaign's first events hold.
interface Ground {
  task: Task;
  peaks: Record<string, number>;
}

async function readGround(id: string, signal: AbortSignal): Promise<Ground> {
  const task = await get<Task>(`${campaignPath(id)}/task`, signal);
  const story = new Story();
  for (let after = 0, more = true; more && Object.keys(story.peaks).length === 0; ) {
    const part = await get<History>(`${campaignPath(id)}/history?after=${after}`, signal);
    part.items.forEach((e) => story.apply(e));
    after = part.last_sequence;
    more = part.truncated;
  }
  return { task, peaks: story.peaks };
}

function Roof({ id, evaluations }: { id: string; evaluations: Evaluation[] }) {
  const ground = useLoad((signal) => readGround(id, signal), `ground ${id}`);
  return (
    <Await from={ground} what="the task">
      {(g) => <Roofline task={g.task} peaks={g.peaks} evaluations={evaluations} />}
    </Await>
  );
}

function Copy({ text }: { text: string }) {
  const [done, setDone] = useState(false);
  return (
    <button onClick={() => void navigator.clipboard.writeText(text).then(() => setDone(true))}>{done ? "Copied" : "Copy"}</button>
  );
}

function Whole({ id, n }: { id: string; n: NodeWhole }) {
  const evaluations = n.evaluations ?? [];
  const logs = evaluations.filter((e) => e.log);
  const baselineName = (e: Evaluation) => (e.baseline === "reference" ? "the reference" : nodeName(n.baseline ?? 0));
  return (
    <>
      {n.reference ? (
        <p class="note">
          The reference: what every candidate is measured against. <span class="foreign">{visible(n.path ?? "")}</span>
        </p>
      ) : (
        <Head id={id} n={n} />
      )}
      <Fold title="Source" open>
        {n.source === null ? <p class="note">No source: nothing was proposed.</p> : <><Copy text={n.source} /><Code text={n.source} label="source" /></>}
      </Fold>
      {(n.diff_to_parents ?? []).map((d) => (
        <Fold key={d.parent} title={`Difference to ${d.parent === 0 ? "its parent, the reference" : `its parent, candidate ${d.parent}`}`} open>
          <Diff text={d.diff} label={`difference to ${nodeName(d.parent)}`} />
        </Fold>
      ))}
      {n.diff_to_reference !== undefined && n.diff_to_reference !== null && (
        <Fold title="Difference to the reference">
          <Diff text={n.diff_to_reference} label="difference to the reference" />
        </Fold>
      )}
      {n.exchanges?.some((x) => x.retrievals.length > 0 || x.report.problems.length > 0) && (
        <Fold title="Diagnosis and documents">
          <Retrievals exchanges={n.exchanges} />
        </Fold>
      )}
      {n.skills && n.skills.length > 0 && (
        <Fold title="Skills it was given" open>
          <GivenSkills skills={n.skills} />
        </Fold>
      )}
      {n.prompt && <Fold title="Prompt"><Code text={n.prompt} label="prompt" /></Fold>}
      {n.reply && <Fold title="Reply"><Code text={n.reply} label="reply" /></Fold>}
      {(n.reference || n.verdict === "pass") && <Fold title="Why it is slow"><ProfileView id={id} index={n.index} /></Fold>}
      {!n.reference && (
        <>
          <Fold title="Samples" open><Samples evaluations={evaluations} baselineName={baselineName} /></Fold>
          <Fold title="Roofline"><Roof id={id} evaluations={evaluations} /></Fold>
          <Fold title="Verdict and evidence" open>
            {evaluations.length === 0 ? <p class="note">It was not evaluated.</p> : evaluations.map((e) => <Judgement key={e.id} e={e} />)}
          </Fold>
          <Fold title="Logs" open={n.verdict === "compile_error"}>
            {logs.length === 0 ? <p class="note">The compiler said nothing.</p> : logs.map((e) => <Code key={e.id} text={e.log ?? ""} label={`log of ${stageName(e.stage)}`} />)}
          </Fold>
          <Fold title="Cost" open><Costs n={n} /></Fold>
        </>
      )}
    </>
  );
}

export function NodeView({ id, index }: { id: string; index: number }) {
  const [settled, setSettled] = useState(false);
  const node = useGet<NodeWhole>(`${campaignPath(id)}/candidates/${index}`, settled ? 0 : 3000);
  useEffect(() => {
    const n = node.value;
    if (n?.reference || n?.state === "finished" || n?.state === "faulted") setSettled(true);
  }, [node.value]);
  return (
    <main>
      <p>
        <a href={links.campaign(id)}>← campaign {short(id)}</a>
      </p>
      <Await from={node} what={`candidate ${index}`}>
        {(n) => (
          <>
            <div class="bar">
              <h1>{n.reference ? "Reference" : `Candidate ${n.index}`}</h1>
              <Verdict verdict={n.reference ? "reference" : (n.verdict ?? null)} state={n.state} />
            </div>
            <Whole key={`${id} ${index}`} id={id} n={n} />
          </>
        )}
      </Await>
    </main>
  );
}
