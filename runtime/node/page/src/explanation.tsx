// Explains why a campaign's best is not faster, as `kevolve explain` says it: the bound, the loops of the reference with what
// would unlock each, the parts that stay word for word, and the steps without gain.
import { campaignPath } from "./api";
import { gain, short, speedup, visible, words } from "./format";
import { Await, Code, Facts, useGet } from "./parts";
import { DiagnosisView, percent } from "./profile";
import { links } from "./route";
import type { Explanation, Obstacle, ReadLoop } from "./types";

const named = (index: number) => (index === 0 ? "the reference" : `candidate ${index}`);

function Unlocking({ o, what }: { o: Obstacle; what: string }) {
  return (
    <>
      <p>{what} {visible(o.why)}</p>
      <Facts
        of={[
          ["rewrite", visible(o.rewrite)],
          ...(o.assertion ? [["or assert", visible(o.assertion)] as [string, string]] : []),
        ]}
      />
      {o.task_lines && (
        <>
          <p>If no two iterations ever meet, add to the task:</p>
          <Code text={o.task_lines} label="lines for the task" />
        </>
      )}
    </>
  );
}

function LoopView({ l }: { l: ReadLoop }) {
  return (
    <li class="foreign">
      line {l.line}: <code>{visible(l.source)}</code>
      {l.order ? (
        <Unlocking o={l.order} what="Its iterations stay in order:" />
      ) : l.vectors ? (
        <Unlocking o={l.vectors} what="It cannot be vectorised as it stands:" />
      ) : (
        <p>Free to be reordered and vectorised.</p>
      )}
    </li>
  );
}

// Says why the best's profile names no bottleneck, and what the profiles of other candidates name.
function OtherBounds({ id, e }: { id: string; e: Explanation }) {
  const shown = e.other_diagnosis ? e.bound?.candidate : undefined;
  const others = e.profiles.filter((p) => p.candidate !== e.best && p.candidate !== shown);
  return (
    <>
      {e.why_no_bound.length > 0 && (
        <>
          <p>Why nothing is named:</p>
          <ul>{e.why_no_bound.map((w, i) => <li key={i} class="foreign">{visible(w)}</li>)}</ul>
        </>
      )}
      {e.other_diagnosis && e.bound && (
        <>
          <h3><a href={links.node(id, e.bound.candidate)}>{named(e.bound.candidate)}</a>: {visible(e.bound.relation)}</h3>
          <DiagnosisView d={e.other_diagnosis} />
        </>
      )}
      {others.length > 0 && (
        <>
          <h3>Profiles of other candidates</h3>
          <ul class="plain">
            {others.map((p) => (
              <li key={p.candidate} class="foreign">
                <a href={links.node(id, p.candidate)}>{named(p.candidate)}</a> ({visible(p.relation)}):{" "}
                {p.class === "unknown" ? "its profile names no bottleneck" : `bound by ${visible(p.title)} (confidence ${percent(p.confidence)})`}
              </li>
            ))}
          </ul>
        </>
      )}
    </>
  );
}

// Says what would change the bottleneck and the roof; loops and kept parts have their rewrites beside them.
function Reasons({ e }: { e: Explanation }) {
  const whole = e.reasons.filter((r) => r.kind === "roof" || r.kind === "bottleneck");
  return (
    <>
      {whole.length > 0 && (
        <>
          <h3>What would change it</h3>
          <ul class="plain">
            {whole.map((r, i) => (
              <li key={i} class="foreign">
                {visible(r.words)}
                <Facts of={[["rewrite", visible(r.rewrite ?? "unknown")]]} />
              </li>
            ))}
          </ul>
        </>
      )}
      {e.nothing_found !== null && <p class="foreign">{visible(e.nothing_found)}</p>}
    </>
  );
}

function Whole({ id, e }: { id: string; e: Explanation }) {
  return (
    <>
      <p>
        {e.best === 0 ? (
          <>Nothing is faster than <a href={links.node(id, 0)}>the reference</a>, which is explained here.</>
        ) : (
          <><a href={links.node(id, e.best)}>Candidate {e.best}</a> is the best: <b>{speedup(e.speedup)}</b>.</>
        )}
      </p>
      {e.diagnosis ? <DiagnosisView d={e.diagnosis} /> : <p class="note">Nothing was timed.</p>}
      {!e.profiled && (
        <p class="note">By its figures alone. For more: <code>{`kevolve profile ${short(id)} ${e.best}`}</code>, or its page.</p>
      )}
      <OtherBounds id={id} e={e} />
      <h3>Loops of the reference</h3>
      {e.reference.loops.length === 0 ? (
        <p class="note">None that the embedded generator reads.</p>
      ) : (
        <ul class="plain reading">{e.reference.loops.map((l, i) => <LoopView key={i} l={l} />)}</ul>
      )}
      {e.reference.kept.length > 0 && (
        <>
          <h3>Kept word for word</h3>
          <ul class="plain">
            {e.reference.kept.map((k, i) => <li key={i} class="foreign">{k.line > 0 && `line ${k.line}: `}{visible(k.why)}</li>)}
          </ul>
        </>
      )}
      <Reasons e={e} />
      {e.tried_without_gain.length > 0 && (
        <>
          <h3>Tried without gain</h3>
          <ul class="plain">
            {e.tried_without_gain.map((a, i) => (
              <li key={i} class="foreign">
                <a href={links.node(id, a.candidate)}>candidate {a.candidate}</a> from {named(a.parent)}: {visible(a.summary)}:{" "}
                {words(a.outcome)}{a.gain === null ? "" : `, ${gain(a.gain)}`}
              </li>
            ))}
          </ul>
        </>
      )}
    </>
  );
}

export function ExplanationView({ id }: { id: string }) {
  const told = useGet<Explanation>(`${campaignPath(id)}/explanation`);
  return (
    <Await from={told} what="the explanation">
      {(e) => <Whole id={id} e={e} />}
    </Await>
  );
}
