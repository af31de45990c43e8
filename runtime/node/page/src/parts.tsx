// Small pieces that every view is made of, and how a view gets its data.
import type { ComponentChildren } from "preact";
import { useCallback, useEffect, useRef, useState } from "preact/hooks";
import { get, Problem } from "./api";
import { groupOf } from "./colours";
import { visible, words } from "./format";

export interface Loaded<T> {
  value: T | null;
  problem: Problem | null;
  again: () => void;
}

function asProblem(e: unknown): Problem {
  return e instanceof Problem ? e : new Problem(0, "", "The page could not read the answer", String(e));
}

// Loads once, or every `every` ms while the page is looked at. A failed repetition keeps the last value and tells; what
// is gone (404) is not asked for again.
export function useLoad<T>(load: (signal: AbortSignal) => Promise<T>, key: string, every = 0): Loaded<T> {
  const [state, set] = useState<{ key: string; value: T | null; problem: Problem | null }>({ key, value: null, problem: null });
  const [round, setRound] = useState(0);
  const latest = useRef(load);
  latest.current = load;
  useEffect(() => {
    const stop = new AbortController();
    let timer = 0;
    let gone = false;
    const run = async () => {
      try {
        const value = document.hidden && every > 0 ? undefined : await latest.current(stop.signal);
        if (!stop.signal.aborted && value !== undefined) set({ key, value, problem: null });
      } catch (e) {
        gone = e instanceof Problem && e.status === 404;
        if (!stop.signal.aborted) set((old) => ({ key, value: old.key === key ? old.value : null, problem: asProblem(e) }));
      }
      if (every > 0 && !gone && !stop.signal.aborted) timer = window.setTimeout(run, every);
    };
    void run();
    return () => {
      stop.abort();
      clearTimeout(timer);
    };
  }, [key, every, round]);
  const again = useCallback(() => setRound((n) => n + 1), []);
  return state.key === key ? { value: state.value, problem: state.problem, again } : { value: null, problem: null, again };
}

export function useGet<T>(path: string, every = 0): Loaded<T> {
  return useLoad((signal) => get<T>(path, signal), path, every);
}

export function Trouble({ problem, again }: { problem: Problem; again?: () => void }) {
  return (
    <div class="trouble" role="alert">
      <b>{visible(problem.title)}</b>
      {problem.detail && <p>{visible(problem.detail)}</p>}
      {again && <button onClick={again}>Try again</button>}
    </div>
  );
}

export function Loading({ what }: { what: string }) {
  return (
    <p class="note" role="status">
      Loading {what}…
    </p>
  );
}

// The three states before there is something to show.
export function Await<T>({ from, what, children }: { from: Loaded<T>; what: string; children: (value: T) => ComponentChildren }) {
  return (
    <>
      {from.problem && <Trouble problem={from.problem} again={from.again} />}
      {from.value !== null ? children(from.value) : from.problem ? null : <Loading what={what} />}
    </>
  );
}

export function Verdict({ verdict, state }: { verdict: string | null | undefined; state?: string | undefined }) {
  const colour = groupOf(verdict ?? null)?.colour ?? (verdict === "reference" ? "--ink" : "--fault");
  const text = verdict ? words(verdict) : state === "in_flight" || state === "selected" || state === "proposed" ? "in flight" : state === "abandoned" ? "abandoned" : "no verdict";
  return (
    <span class="verdict" style={{ "--own": `var(${colour})` }}>
      {text}
    </span>
  );
}

export function Chip({ kind, children }: { kind: string; children: ComponentChildren }) {
  return <span class={`chip ${kind}`}>{children}</span>;
}

// Text of a model, a candidate or a compiler: shown letter by letter, never as markup.
export function Code({ text, label }: { text: string; label: string }) {
  return (
    <pre class="code foreign" tabIndex={0} aria-label={label}>
      {visible(text)}
    </pre>
  );
}

export function Diff({ text, label }: { text: string; label: string }) {
  if (text === "") return <p class="note">No difference.</p>;
  const kind = (line: string) =>
    line.startsWith("+++") || line.startsWith("---") || line.startsWith("@@")
      ? "head"
      : line.startsWith("+")
        ? "added"
        : line.startsWith("-")
          ? "gone"
          : "";
  return (
    <pre class="code foreign" tabIndex={0} aria-label={label}>
      {visible(text)
        .replace(/\n$/, "")
        .split("\n")
        .map((line, i) => (
          <span key={i} class={kind(line)}>
            {line + "\n"}
          </span>
        ))}
    </pre>
  );
}

export function Fold({ title, open, children }: { title: string; open?: boolean; children: ComponentChildren }) {
  const [seen, setSeen] = useState(open ?? false);
  return (
    <details class="fold" open={open ?? false} onToggle={(e) => e.currentTarget.open && setSeen(true)}>
      <summary>
        <h2>{title}</h2>
      </summary>
      {seen && <div class="inside">{children}</div>}
    </details>
  );
}

export function Facts({ of }: { of: [string, ComponentChildren][] }) {
  return (
    <dl class="facts">
      {of.map(([name, value]) => (
        <>
          <dt key={name}>{name}</dt>
          <dd>{value}</dd>
        </>
      ))}
    </dl>
  );
}
