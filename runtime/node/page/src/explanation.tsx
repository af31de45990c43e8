// Explains why a campaign's best is not faster, as `kevolve explain` says it: the bound, the loops of the reference with what
// would unlock each, the parts that stay word for word, and the steps without gain.
import { campaignPath } from "./api";
import { gain, short, speedup, visible, words } from "./format";
import { Await, Code, Facts, useGet } from "./parts";
import { DiagnosisView } from "./profile";
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
