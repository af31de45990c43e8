// The node's events, as they happen.
import { useEffect, useRef, useState } from "preact/hooks";
import { get, Problem } from "./api";
import { clock, short, speedup, visible, words } from "./format";
import { Trouble, Verdict } from "./parts";
import { links } from "./route";
import { follow, readAgainOnce, type StreamState } from "./stream";
import type { Campaign, Page, StoryEvent } from "./types";

const kept = 500;
const before = 200; // events shown from before the page was opened

function Gist({ e }: { e: StoryEvent }) {
  const d = e.data;
  const index = typeof d["index"] === "number" ? d["index"] : null;
  const node = index !== null && e.campaign ? <a href={links.node(e.campaign, index)}>candidate {index}</a> : null;
  const text = (name: string) => (typeof d[name] === "string" ? visible(words(d[name])) : "");
  const number = (name: string) => (typeof d[name] === "number" ? d[name] : 0);
  if (e.kind === "node_finished")
    return (
      <>
        {node} <Verdict verdict={(d["verdict"] as string | null) ?? null} /> {number("speedup") > 0 && speedup(number("speedup"))} {text("rule")}
      </>
    );
  if (e.kind === "champion_changed") return <>{node} {speedup(number("speedup"))}</>;
  const parents = Array.isArray(d["parents"]) ? `from ${d["parents"].join(", ")} by ${text("policy")}` : "";
  return (
    <>
      {node} <span class="foreign">{parents} {text("stage")} {text("state")} {text("stop_reason")} {text("generator")} {text("name")} {text("reason")}</span>
    </>
  );
}

export function Events() {
  const [events, setEvents] = useState<StoryEvent[]>([]);
  const [stream, setStream] = useState<StreamState>("connecting");
  const [kind, setKind] = useState("");
  const [still, setStill] = useState(false);
  const [problem, setProblem] = useState<Problem | null>(null);
  const held = useRef<StoryEvent[]>([]);
  const stopped = useRef(still);
  stopped.current = still;
  useEffect(() => {
    const stop = new AbortController();
    const show = () => setEvents(held.current);
    const run = async () => {
      const page = await get<Page<Campaign>>("/v1/campaigns?limit=1000", stop.signal);
      const last = Math.max(0, ...page.items.map((c) => c.last_sequence));
      await follow(
        {
          after: Math.max(0, last - before),
          onState: setStream,
          onEvents: (more) => {
            held.current = [...held.current, ...more].slice(-kept);
            if (!stopped.current) show();
          },
        },
        stop.signal,
      );
    };
    const again = (why: Problem) => {
      held.current = []; // of another log
      show();
      setProblem(why);
    };
    readAgainOnce(run, again).catch((e: unknown) => {
      if (!stop.signal.aborted) setProblem(e instanceof Problem ? e : new Problem(0, "", "Events could not be read", String(e)));
    });
    return () => stop.abort();
  }, []);
  const kinds = [...new Set(events.map((e) => e.kind))].sort();
  const shown = events.filter((e) => !kind || e.kind === kind).reverse();
  return (
    <main>
      <div class="bar">
        <h1>Events</h1>
        <span class={`stream ${stream}`} role="status">
          {stream === "live" ? "live" : stream === "cut" ? "reconnecting" : "connecting"}
        </span>
        <label>
          kind{" "}
          <select value={kind} onChange={(e) => setKind(e.currentTarget.value)}>
            <option value="">all</option>
            {kinds.map((k) => (
              <option key={k} value={k}>
                {words(k)}
              </option>
            ))}
          </select>
        </label>
        <button
          aria-pressed={still}
          onClick={() => {
            if (still) setEvents(held.current);
            setStill(!still);
          }}
        >
          {still ? "Go on" : "Hold still"}
        </button>
      </div>
      {problem && <Trouble problem={problem} />}
      {shown.length === 0 ? (
        <p class="empty">{stream === "live" ? "Nothing has happened yet." : "Waiting for the node…"}</p>
      ) : (
        <ol class="events">
          {shown.map((e) => (
            <li key={e.sequence}>
              <details>
                <summary>
                  <time dateTime={e.time}>{clock(e.time)}</time> <small>{e.sequence}</small>{" "}
                  {e.campaign && <a href={links.campaign(e.campaign)}>{short(e.campaign)}</a>} <b>{words(e.kind)}</b> <Gist e={e} />
                </summary>
                <pre class="code foreign">{visible(JSON.stringify(e.data, null, 2))}</pre>
              </details>
            </li>
          ))}
        </ol>
      )}
    </main>
  );
}
