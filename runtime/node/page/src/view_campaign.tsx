// One campaign: how it stands, its tree, its curve, its nodes; and the three ways to steer it.
import type { ComponentChildren } from "preact";
import { useMemo, useRef, useState } from "preact/hooks";
import { campaignPath, post, Problem } from "./api";
import { count, interval, money, reused, seconds, short, speedup, visible, words } from "./format";
import { ExplanationView } from "./explanation";
import { Islands, phaseOf } from "./islands";
import { Await, Chip, Facts, Fold, Trouble, useGet, Verdict, type Loaded } from "./parts";
import { profilingTotal } from "./profile";
import { ProgressPlot } from "./progress_plot";
import { links } from "./route";
import type { Story, TreeNode } from "./story";
import type { StreamState } from "./stream";
import { TreeCanvas } from "./tree_canvas";
import type { Campaign } from "./types";
import { useStory } from "./use_story";
import { Budget } from "./view_campaigns";

const streamWords: Record<StreamState, string> = { connecting: "connecting", live: "live", cut: "reconnecting" };

function Steering({ campaign, after }: { campaign: Campaign; after: () => void }) {
  const [problem, setProblem] = useState<Problem | null>(null);
  const [busy, setBusy] = useState(false);
  const sure = useRef<HTMLDialogElement>(null);
  if (campaign.state === "finished" || campaign.state === "failed") return null;
  const send = async (verb: string) => {
    setBusy(true);
    setProblem(null);
    try {
      await post(`${campaignPath(campaign.id)}/${verb}`, verb === "resume" ? {} : { reason: "asked on the page" });
      after();
    } catch (e) {
      if (e instanceof Problem) setProblem(e);
    }
    setBusy(false);
  };
  const paused = campaign.state === "paused";
  return (
    <div class="bar">
      <button disabled={busy} onClick={() => void send(paused ? "resume" : "pause")}>
        {paused ? "Resume" : "Pause"}
      </button>
      <button disabled={busy} class="grave" onClick={() => sure.current?.showModal()}>
        Cancel…
      </button>
      <dialog ref={sure} aria-label="cancel the campaign">
        <p>
          End <b>{visible(campaign.name)}</b> for good? What it has found is kept.
        </p>
        <button class="grave" onClick={() => (sure.current?.close(), void send("cancel"))}>
          Cancel the campaign
        </button>{" "}
        <button onClick={() => sure.current?.close()}>Let it run</button>
      </dialog>
      {problem && <Trouble problem={problem} />}
    </div>
  );
}

type Order = "newest" | "fastest" | "failed";

function Nodes({ id, story, version }: { id: string; story: Story; version: number }) {
  const [order, setOrder] = useState<Order>("fastest");
  const [most, setMost] = useState(20);
  const rows = useMemo(() => {
    const all = [...story.nodes.values()].filter((n) => n.index !== 0);
    const newest = (a: TreeNode, b: TreeNode) => b.index - a.index;
    if (order === "fastest") return all.filter((n) => n.speedup > 0).sort((a, b) => b.speedup - a.speedup || newest(a, b));
    if (order === "failed") return all.filter((n) => n.state !== "in_flight" && n.state !== "abandoned" && n.verdict !== "pass").sort(newest);
    return all.sort(newest);
  }, [story, version, order]);
  return (
    <section aria-label="candidates">
      <div class="bar">
        <h2>Candidates</h2>
        <label>
          show{" "}
          <select value={order} onChange={(e) => setOrder(e.currentTarget.value as Order)}>
            <option value="fastest">fastest first</option>
            <option value="newest">newest first</option>
            <option value="failed">failed</option>
          </select>
        </label>
      </div>
      {rows.length === 0 ? (
        <p class="empty">None.</p>
      ) : (
        <div class="wide">
          <table>
            <thead>
              <tr>
                <th class="number">candidate</th>
                <th>verdict</th>
                <th class="number">speedup</th>
                <th>interval</th>
                <th>generator</th>
                <th>what</th>
                <th>cost</th>
              </tr>
            </thead>
            <tbody>
              {rows.slice(0, most).map((n) => (
                <tr key={n.index}>
                  <td class="number">
                    <a href={links.node(id, n.index)}>{n.index}</a>
                  </td>
                  <td>
                    <Verdict verdict={n.verdict} state={n.state} /> {n.rule && <small>{words(n.rule)}</small>}
                  </td>
                  <td class="number">{n.estimate ? `~${speedup(n.speedup)}` : speedup(n.speedup)}</td>
                  <td>{interval(n)}</td>
                  <td>{visible(n.generator)}</td>
                  <td class="foreign brief">
                    {n.sameAs > 0 ? <small>same as candidate {n.sameAs} </small> : n.reusedFrom && <small>{reused(n.reusedFrom)} </small>}
                    {visible(n.summary)}
                  </td>
                  <td>{n.order > 0 ? money(n.cost.cost) : ""}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
      {rows.length > most && <button onClick={() => setMost(most + 100)}>Show more of {count(rows.length)}</button>}
    </section>
  );
}

function Standing({ c }: { c: Campaign }) {
  return (
    <Facts
      of={[
        [
          "best",
          c.best ? (
            <>
              <a href={links.node(c.id, c.best.candidate)}>candidate {c.best.candidate}</a> <b>{speedup(c.best.speedup)}</b>{" "}
              {interval(c.best)} {c.best.final ? "confirmed at the end" : ""}
              {c.best.outputs?.read && c.best.outputs.not_read && (
                <small>
                  {" "}
                  calls alone {speedup(c.best.outputs.not_read.speedup)}, with their outputs read {speedup(c.best.outputs.read.speedup)}
                </small>
              )}
              {c.best.baseline_headline && (
                <>
                  <br />
                  <b>{c.best.baseline_headline}</b>
                </>
              )}
              {c.best.baselines?.map((b) => (
                <small>
                  <br />
                  {b.name}: {b.speedup === null ? `not timed${b.note ? ": " + b.note : ""}` : speedup(b.speedup)} {interval(b)}
                </small>
              ))}
            </>
          ) : (
            "none yet is shown to be faster than the reference"
          ),
        ],
        ["candidates", `${count(c.candidates)}, ${count(c.valid)} valid, ${count(c.in_flight)} in flight`],
        ...(c.search?.phase ? [["search", phaseOf(c.search)] as [string, string]] : []),
        ["budget", <Budget of={c} />],
        ["spent", `${seconds(c.spent.wall_s)} in all; compiling ${seconds(c.spent.compile_s)}, devices ${seconds(c.spent.device_s)}`],
        ...(c.profiling && c.profiling.profiles + c.profiling.failed > 0 ? [["profiles", <span class="foreign">{profilingTotal(c.profiling)}</span>] as [string, ComponentChildren]] : []),
        ["cost", money(c.spent.cost)],
      ]}
    />
  );
}

export function CampaignView({ id }: { id: string }) {
  const status: Loaded<Campaign> = useGet<Campaign>(campaignPath(id), 5000);
  const told = useStory(id, status.again);
  return (
    <main>
      <Await from={status} what="the campaign">
        {(c) => (
          <>
            <div class="bar">
              <h1>
                {visible(c.name)} <small>{short(c.id)}</small>
              </h1>
              <Chip kind={c.state}>{words(c.state)}</Chip>
              {c.stop_reason && <span>{words(c.stop_reason)}</span>}
              {c.reason && <span class="note">{visible(c.reason)}</span>}
              <span class={`stream ${told.stream}`} role="status">
                {streamWords[told.stream]}
              </span>
            </div>
            <Steering campaign={c} after={status.again} />
            <Standing c={c} />
          </>
        )}
      </Await>
      {told.problem && !status.problem && <Trouble problem={told.problem} />}
      {told.loaded || told.story.last > 0 ? (
        <>
          <TreeCanvas id={id} story={told.story} version={told.version} />
          <Islands id={id} search={status.value?.search} />
          <ProgressPlot story={told.story} version={told.version} />
          <Nodes id={id} story={told.story} version={told.version} />
          <Fold title="Why it is not faster"><ExplanationView id={id} /></Fold>
        </>
      ) : null}
    </main>
  );
}
