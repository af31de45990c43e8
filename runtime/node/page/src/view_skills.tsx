// The skills that campaigns have earned: how each stands and what it has brought; one skill whole, and its withdrawal.
import type { ComponentChildren } from "preact";
import { useRef, useState } from "preact/hooks";
import { get, post, Problem } from "./api";
import { clock, count, gain, interval, short, visible, words } from "./format";
import { Await, Chip, Code, Facts, Trouble, useGet, useLoad } from "./parts";
import { links } from "./route";
import type { Application, Brought, GivenSkill, Page, SkillBrief, SkillWhole } from "./types";

const states = ["hypothesis", "confirmed", "conflicting", "rejected", "revoked"];
const chips: Record<string, string> = { confirmed: "running", rejected: "failed", revoked: "failed" };
const atOnce = 200;

export function StateChip({ state }: { state: string }) {
  return <Chip kind={chips[state] ?? state}>{words(state)}</Chip>;
}

export function Best({ of }: { of: Brought }) {
  if (of.best_gain === null || of.campaign === null || of.candidate === null) return <>—</>;
  return <a href={links.node(of.campaign, of.candidate)}>{gain(of.best_gain)}</a>;
}

export const stepText = (s: Pick<SkillBrief, "step">) => visible(s.step.words ?? s.step.moves ?? "");

function List({ items }: { items: SkillBrief[] }) {
  return (
    <div class="wide">
      <table aria-label="skills">
        <thead>
          <tr>
            <th>skill</th>
            <th>step</th>
            <th>state</th>
            <th class="number">weight</th>
            <th class="number">gain</th>
            <th class="number">applied</th>
            <th class="number">passed</th>
            <th class="number">best gain</th>
            <th>for</th>
          </tr>
        </thead>
        <tbody>
          {items.map((s) => (
            <tr key={s.id} class={s.state === "revoked" || s.state === "rejected" ? "dead" : ""}>
              <td>
                <a href={links.skill(s.id)}>{short(s.id)}</a>
              </td>
              <td class="foreign brief">{stepText(s)}</td>
              <td>
                <StateChip state={s.state} />
              </td>
              <td class="number">{s.weight.toFixed(3)}</td>
              <td class="number" title={interval(s)}>
                {gain(s.gain)}
              </td>
              <td class="number">{count(s.brought.applications)}</td>
              <td class="number">{count(s.brought.valid)}</td>
              <td class="number">
                <Best of={s.brought} />
              </td>
              <td class="foreign">
                {[s.conditions.target ?? "", ...s.conditions.families].filter((x) => x !== "").map((x) => (
                  <code key={x}>{visible(x)} </code>
                ))}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

// The skills that a step was given.
export function GivenSkills({ skills }: { skills: GivenSkill[] }) {
  return (
    <div class="wide">
      <table aria-label="skills given">
        <thead>
          <tr>
            <th>skill</th>
            <th>step</th>
            <th>state then</th>
            <th class="number">weight</th>
            <th class="number">gain</th>
            <th>applied</th>
          </tr>
        </thead>
        <tbody>
          {skills.map((s) => (
            <tr key={s.id} class={s.applied ? "" : "dead"}>
              <td>
                <a href={links.skill(s.id)}>{short(s.id)}</a>
              </td>
              <td class="foreign brief">{stepText(s)}</td>
              <td>
                <StateChip state={s.state} />
              </td>
              <td class="number">{s.weight.toFixed(3)}</td>
              <td class="number" title={interval(s)}>
                {gain(s.gain)}
              </td>
              <td>{s.applied ? "yes" : "no"}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

export function Skills() {
  const [state, setState] = useState("");
  const [most, setMost] = useState(atOnce);
  const path = `/v1/skills?limit=${Math.min(most, 1000)}${state === "" ? "" : `&state=${state}`}`;
  const list = useLoad((signal) => get<Page<SkillBrief>>(path, signal), path, 5000);
  return (
    <main>
      <div class="bar">
        <h1>Skills</h1>
        <label>
          state{" "}
          <select value={state} onChange={(e) => setState(e.currentTarget.value)}>
            <option value="">any</option>
            {states.map((s) => (
              <option key={s} value={s}>
                {s}
              </option>
            ))}
          </select>
        </label>
        <a href={links.knowledge}>Documents</a>
      </div>
      <Await from={list} what="skills">
        {(page) =>
          page.items.length === 0 ? (
            <p class="empty">No skill{state === "" ? "" : " in this state"}. A campaign distils them from its confirmed gains.</p>
          ) : (
            <>
              <List items={page.items} />
              <p class="note" role="status">
                {count(page.items.length)} of {count(page.total)}, the greatest weight first.{" "}
                {page.truncated && most < 1000 && <button onClick={() => setMost(1000)}>Show more</button>}
              </p>
            </>
          )
        }
      </Await>
    </main>
  );
}

function Revoke({ skill, after }: { skill: SkillWhole; after: () => void }) {
  const [problem, setProblem] = useState<Problem | null>(null);
  const [busy, setBusy] = useState(false);
  const asked = useRef<HTMLDialogElement>(null);
  if (skill.state === "revoked") return null;
  const send = async (why: string) => {
    asked.current?.close();
    setBusy(true);
    setProblem(null);
    try {
      await post(`/v1/skills/${encodeURIComponent(skill.id)}/revoke`, { why });
      after();
    } catch (e) {
      if (e instanceof Problem) setProblem(e);
    }
    setBusy(false);
  };
  return (
    <>
      <button disabled={busy} class="grave" onClick={() => asked.current?.showModal()}>
        Revoke…
      </button>
      <dialog ref={asked} aria-label="revoke the skill">
        <form
          onSubmit={(e) => {
            e.preventDefault();
            void send(String(new FormData(e.currentTarget).get("why") ?? "").trim());
          }}
        >
          <p>It is kept, and offered to no step any more.</p>
          <label>
            Why <input name="why" required maxLength={500} pattern=".*\S.*" />
          </label>
          <p>
            <button class="grave">Revoke the skill</button>{" "}
            <button type="button" onClick={() => asked.current?.close()}>
              Keep it
            </button>
          </p>
        </form>
      </dialog>
      {problem && <Trouble problem={problem} />}
    </>
  );
}

function ApplicationRow({ of: a }: { of: Application }) {
  return (
    <tr>
      <td>
        <a href={links.node(a.campaign, a.candidate)}>
          {short(a.campaign)}, candidate {a.candidate}
        </a>
        {a.origin && <small> the skill comes from it</small>}
      </td>
      <td class="foreign">{visible(a.task)}</td>
      <td class="number">{a.gain === null ? words(a.verdict) : gain(a.gain)}</td>
      <td>{interval(a)}</td>
      <td class="number">{percent(a.share)}</td>
      <td class="foreign">{visible(a.hardware.join(", "))}</td>
      <td>{a.time ? a.time.slice(0, 10) : ""}</td>
    </tr>
  );
}

const percent = (x: number) => `${Math.round(100 * x)} %`;

// Describes how the weight follows from the applications.
function weighing(s: SkillWhole): string {
  const w = s.weighing;
  const parts = [`${s.weight.toFixed(3)}: the mean of the log gains below is ${w.mean.toFixed(3)} by their shares, with ${percent(w.prior_share)} for no gain`];
  if (w.contradictions > 0) parts.push(`divided by ${w.contradictions + 1}, because ${w.contradictions} of them ${w.contradictions === 1 ? "is" : "are"} slower beyond noise`);
  if (w.halved) parts.push("halved, because it is a hypothesis");
  if (s.state === "rejected" || s.state === "revoked") parts.push(`0, because it is ${s.state}`);
  return parts.join("; ");
}

function listOf(values: string[]): ComponentChildren {
  return values.map((x) => <code key={x}>{visible(x)} </code>);
}

function Whole({ s }: { s: SkillWhole }) {
  const c = s.conditions;
  const from = s.provenance;
  return (
    <>
      <Facts
        of={[
          ["why in this state", <span class="foreign">{visible(s.reason ?? "")}</span>],
          ["gain to expect", <>{gain(s.gain)} {interval(s)}</>],
          ["weight", weighing(s)],
          ["brought", <>{count(s.brought.applications)} applications, {count(s.brought.valid)} passed, the best <Best of={s.brought} /></>],
          ["comes from", <span class="foreign"><a href={links.node(from.campaign, from.candidate)}>candidate {from.candidate}</a> of <a href={links.campaign(from.campaign)}>{visible(from.campaign_name) || short(from.campaign)}</a>, task {visible(from.task)}; {visible(from.by)}</span>],
          ["moves", <code class="foreign">{visible(s.step.moves ?? "")}</code>],
        ]}
      />
      <section>
        <h2>Applies where</h2>
        <Facts
          of={[
            ["target", visible(c.target ?? "any")],
            ["language", visible(c.language ?? "any")],
            ["families", listOf(c.families)],
            ["types", listOf(c.dtypes)],
            ["hardware", listOf(c.hardware)],
            ["bottleneck", words(c.bound ?? "any")],
            ["pattern", <span class="foreign">{visible(c.pattern ?? "any")}</span>],
            ["but not for", listOf(s.not_for)],
          ]}
        />
      </section>
      {s.step.before && <section><h2>Before</h2><Code text={s.step.before} label="before" /></section>}
      {s.step.after && <section><h2>After</h2><Code text={s.step.after} label="after" /></section>}
      <section>
        <h2>Applications</h2>
        {s.applications.length === 0 ? (
          <p class="empty">It was not applied yet.</p>
        ) : (
          <div class="wide">
            <table aria-label="applications">
              <thead>
                <tr>
                  <th>candidate</th>
                  <th>task</th>
                  <th class="number">gain</th>
                  <th>interval</th>
                  <th class="number">share</th>
                  <th>hardware</th>
                  <th>day</th>
                </tr>
              </thead>
              <tbody>
                {s.applications.map((a) => (
                  <ApplicationRow key={`${a.campaign} ${a.candidate}`} of={a} />
                ))}
              </tbody>
            </table>
          </div>
        )}
      </section>
      <section>
        <h2>History</h2>
        <ol class="plain">
          {s.history.map((h) => (
            <li key={h.version}>
              <StateChip state={h.state} /> <span class="foreign">{visible(h.reason ?? "")}</span>{" "}
              <small>
                {visible(h.by ?? "")} {h.time && `${h.time.slice(0, 10)} ${clock(h.time)}`}
              </small>
            </li>
          ))}
        </ol>
      </section>
    </>
  );
}

export function SkillView({ id }: { id: string }) {
  const one = useGet<SkillWhole>(`/v1/skills/${id}`);
  return (
    <main>
      <p>
        <a href={links.skills}>All skills</a>
      </p>
      <Await from={one} what="the skill">
        {(s) => (
          <>
            <div class="bar">
              <h1 class="foreign">{stepText(s)}</h1>
              <StateChip state={s.state} />
              <Revoke skill={s} after={one.again} />
            </div>
            <Whole s={s} />
          </>
        )}
      </Await>
    </main>
  );
}
