// The report on a candidate's parent, and the documents that its prompt quotes: what was found, quoted and cut.
import { count, visible, words } from "./format";
import { Chip } from "./parts";
import { links } from "./route";
import type { Exchange, Report, Retrieval } from "./types";

const fixed = (x: number) => x.toFixed(2);

const outcomes: Record<string, string> = {
  quoted: "quoted",
  budget: "cut: no room in the budget",
  enough: "cut: enough sections",
  document: "cut: enough of this document",
  known: "quoted before",
};

export function ReportView({ report }: { report: Report }) {
  return (
    <ol class="problems">
      {report.problems.map((p) => (
        <li key={p.problem}>
          <b class="foreign">{visible(p.problem)}</b> {p.deferred && <Chip kind="deferred">deferred</Chip>}
          {p.evidence && <p class="foreign">{visible(p.evidence)}</p>}
        </li>
      ))}
    </ol>
  );
}

const reasons: Record<string, string> = {
  diagnosis: "Looked up for the diagnosis",
  skills: "Skills, as the prompt quotes them",
};

// A trace of skills names them "skill/1a2b3c4d".
const linkOf = (source: string) => (source.startsWith("skill/") ? links.skill(source.slice("skill/".length)) : links.document(source));

function Found({ of: r }: { of: Retrieval }) {
  return (
    <section class="retrieval">
      <h3>{reasons[r.reason] ?? "Found by the step's signals"}</h3>
      <p class="note">
        {r.reason === "skills"
          ? `${count(r.documents)} were given to the step`
          : `${count(r.documents)} documents, ${count(r.admitted)} for this step, ${count(r.matched)} about its signals: `}
        {r.signals.map((s) => (
          <code key={s}>{visible(s)} </code>
        ))}
      </p>
      <div class="wide">
        <table aria-label="sections found">
          <thead>
            <tr>
              <th>section</th>
              <th class="number">score</th>
              <th class="number">by signals</th>
              <th class="number">by words</th>
              <th class="number">tokens</th>
              <th>outcome</th>
            </tr>
          </thead>
          <tbody>
            {r.sections.map((s) => (
              <tr key={`${s.document} ${s.heading}`} class={s.outcome === "quoted" ? "" : "dead"}>
                <td>
                  <a href={linkOf(s.document)}>{visible(s.document)}</a>: {visible(s.heading)}
                </td>
                <td class="number">{fixed(s.score)}</td>
                <td class="number">{fixed(s.signal_score)}</td>
                <td class="number">{fixed(s.text_score)}</td>
                <td class="number">{count(s.tokens)}</td>
                <td>{outcomes[s.outcome] ?? words(s.outcome)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </section>
  );
}

export function Retrievals({ exchanges }: { exchanges: Exchange[] }) {
  const reports = exchanges.filter((x) => x.report.problems.length > 0).map((x) => x.report);
  return (
    <>
      {reports.map((r, i) => (
        <section key={i}>
          <h3>{r.by === "model" ? "Diagnosis by the model" : "Diagnosis by measurements"}</h3>
          <ReportView report={r} />
        </section>
      ))}
      {exchanges.flatMap((x) => x.retrievals.map((r, i) => <Found key={`${x.id} ${i}`} of={r} />))}
    </>
  );
}
