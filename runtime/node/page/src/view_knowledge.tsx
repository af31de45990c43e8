// The documents that prompts quote: a list, a search by words, and one document with its sources.
import { useState } from "preact/hooks";
import { get } from "./api";
import { count, visible, words } from "./format";
import { Await, Chip, Code, Facts, Trouble, useGet, useLoad } from "./parts";
import { links } from "./route";
import { everyPage } from "./view_campaigns";
import { Best } from "./view_skills";
import type { DocumentBrief, DocumentFigure, DocumentFigures, DocumentWhole } from "./types";

interface Found {
  items: { title: string; text: string }[];
}

const share = (f: DocumentFigure) => (f.steps === 0 ? "—" : `${Math.round((100 * f.valid) / f.steps)} %`);

// The figures of a document's use; nothing while they are not known.
function Figures({ of: f }: { of: DocumentFigure | undefined }) {
  return (
    <>
      <td class="number">{f ? count(f.steps) : ""}</td>
      <td class="number">{f ? share(f) : ""}</td>
      <td class="number">{f ? <Best of={f} /> : ""}</td>
    </>
  );
}

const unused = (document: string): DocumentFigure => ({ document, steps: 0, valid: 0, best_gain: null, campaign: null, candidate: null });

function List({ items }: { items: DocumentBrief[] }) {
  const figures = useGet<DocumentFigures>("/v1/knowledge/figures");
  const known = new Map((figures.value?.items ?? []).map((f) => [f.document, f]));
  if (items.length === 0) return <p class="empty">This node serves no documents.</p>;
  return (
    <div class="wide">
      <table aria-label="documents">
        <thead>
          <tr>
            <th>document</th>
            <th>title</th>
            <th>category</th>
            <th>about</th>
            <th class="number">sections</th>
            <th class="number" title="finished steps whose prompts quoted it">steps</th>
            <th class="number" title="of these steps, those whose candidate passed">valid</th>
            <th class="number" title="the largest speed-up over a parent, of these candidates">best gain</th>
            <th>checked</th>
          </tr>
        </thead>
        <tbody>
          {items.map((d) => (
            <tr key={d.id}>
              <td>
                <a href={links.document(d.id)}>{visible(d.id)}</a>
              </td>
              <td>{visible(d.title)}</td>
              <td>{words(d.category)}</td>
              <td>
                {d.signals.map((s) => (
                  <code key={s}>{visible(s)} </code>
                ))}
              </td>
              <td class="number">{count(d.sections)}</td>
              <Figures of={figures.value ? (known.get(d.id) ?? unused(d.id)) : undefined} />
              <td>{visible(d.checked)}</td>
            </tr>
          ))}
        </tbody>
      </table>
      {figures.problem && <Trouble problem={figures.problem} again={figures.again} />}
      {figures.value?.complete === false && <p class="note">Figures are of {count(figures.value.exchanges)} prompts; there are more.</p>}
    </div>
  );
}

function Search({ query }: { query: string }) {
  const found = useLoad((signal) => get<Found>(`/v1/knowledge/search?q=${encodeURIComponent(query)}`, signal), query);
  return (
    <Await from={found} what="sections">
      {({ items }) =>
        items.length === 0 ? (
          <p class="empty">No section holds these words.</p>
        ) : (
          <>
            {items.map((s) => (
              <section key={s.title}>
                <h3>{visible(s.title)}</h3>
                <Code text={s.text} label={s.title} />
              </section>
            ))}
          </>
        )
      }
    </Await>
  );
}

export function Knowledge() {
  const [query, setQuery] = useState("");
  const all = useLoad((signal) => everyPage<DocumentBrief>("/v1/knowledge", signal), "knowledge");
  return (
    <main>
      <h1>Knowledge</h1>
      <form
        onSubmit={(e) => {
          e.preventDefault();
          setQuery(String(new FormData(e.currentTarget).get("query") ?? "").trim());
        }}
      >
        <label>
          Words <input name="query" type="search" />
        </label>{" "}
        <button>Search</button>
      </form>
      {query === "" ? <Await from={all} what="documents">{(page) => <List items={page.items} />}</Await> : <Search query={query} />}
    </main>
  );
}

export function DocumentView({ id }: { id: string }) {
  const one = useGet<DocumentWhole>(`/v1/knowledge/${id}`);
  return (
    <main>
      <p>
        <a href={links.knowledge}>All documents</a>
      </p>
      <Await from={one} what="the document">
        {(d) => (
          <>
            <h1>{visible(d.title)}</h1>
            <Facts
              of={[
                ["category", words(d.category)],
                ["targets", d.targets.map((t) => <Chip key={t} kind="target">{visible(t)}</Chip>)],
                ["about", d.signals.map((s) => <code key={s}>{visible(s)} </code>)],
                ["checked", visible(d.checked)],
                ["file", <code>{visible(d.file)}</code>],
              ]}
            />
            {d.sections.map((s) => (
              <section key={s.heading}>
                <h2>{visible(s.heading)}</h2>
                <Code text={s.text} label={s.heading} />
                <ul>
                  {s.sources.map((key) => (
                    <li key={key}>{visible(d.sources[key] ?? key)}</li>
                  ))}
                </ul>
              </section>
            ))}
          </>
        )}
      </Await>
    </main>
  );
}
