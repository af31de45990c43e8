// Server-sent events over fetch, because EventSource cannot send the token's header. Goes on where it was cut, each
// event once.
import { Problem, request } from "./api";
import type { StoryEvent } from "./types";

export type StreamState = "connecting" | "live" | "cut";

const silence = 30_000; // the node says something every 10 s
const shortest = 500;
const longest = 15_000;

// One event's lines → its id and data; nothing for comments.
export function parseEvent(block: string): { id: string; data: string } | null {
  let id = "";
  const data: string[] = [];
  for (const line of block.split("\n")) {
    const colon = line.indexOf(":");
    if (colon <= 0) continue;
    const value = line.slice(colon + 1).replace(/^ /, "");
    if (line.startsWith("id:")) id = value;
    else if (line.startsWith("data:")) data.push(value);
  }
  return data.length > 0 ? { id, data: data.join("\n") } : null;
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((done) => {
    const timer = setTimeout(done, ms);
    signal.addEventListener("abort", () => (clearTimeout(timer), done()), { once: true });
  });
}

interface Follow {
  campaign?: string;
  after: number;
  onEvents: (events: StoryEvent[]) => void;
  onState: (state: StreamState) => void;
}

async function readOne(f: Follow, position: { after: number }, signal: AbortSignal): Promise<void> {
  const path = f.campaign ? `/v1/events?campaign=${encodeURIComponent(f.campaign)}` : "/v1/events";
  const answer = await request(path, {
    headers: { Accept: "text/event-stream", "Last-Event-ID": String(position.after) },
    signal,
  });
  if (!answer.body) return;
  f.onState("live");
  const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader();
  let text = "";
  for (;;) {
    let timer = 0;
    const dead = new Promise<never>((_, no) => (timer = window.setTimeout(() => no(new Error("silent")), silence)));
    const { done, value } = await Promise.race([reader.read(), dead]).finally(() => clearTimeout(timer));
    if (done) return;
    text += value.replaceAll("\r\n", "\n");
    const events: StoryEvent[] = [];
    for (let end = text.indexOf("\n\n"); end >= 0; end = text.indexOf("\n\n")) {
      const event = parseEvent(text.slice(0, end));
      text = text.slice(end + 2);
      if (!event || Number(event.id) <= position.after) continue;
      position.after = Number(event.id);
      events.push(JSON.parse(event.data) as StoryEvent);
    }
    if (events.length > 0) f.onEvents(events);
  }
}

// True if the log ends before the requested event: the store was restored since, or is another one.
export const isBeyondTheEnd = (e: unknown) => e instanceof Problem && e.status === 409;

// Reads, and once again from the start when the log is another one than a while ago, which `again` is told first.
export async function readAgainOnce(read: () => Promise<void>, again: (why: Problem) => void): Promise<void> {
  try {
    await read();
  } catch (e) {
    if (!isBeyondTheEnd(e)) throw e;
    again(e as Problem);
    await read();
  }
}

// Until the signal: reads, and after a cut waits a little longer each time and goes on. Throws when the log ends before
// where it would go on, or the campaign is gone: waiting mends nothing there.
export async function follow(f: Follow, signal: AbortSignal): Promise<void> {
  const position = { after: f.after };
  let wait = shortest;
  while (!signal.aborted) {
    f.onState("connecting");
    const before = position.after;
    const cut = new AbortController();
    const stop = () => cut.abort();
    signal.addEventListener("abort", stop);
    try {
      await readOne(f, position, cut.signal);
    } catch (e) {
      if (e instanceof Problem && e.status === 401) return; // the page asks for a token
      if (isBeyondTheEnd(e) || (e instanceof Problem && e.status === 404)) throw e;
    } finally {
      cut.abort(); // a silent connection is closed too
      signal.removeEventListener("abort", stop);
    }
    if (signal.aborted) return;
    f.onState("cut");
    wait = position.after > before ? shortest : Math.min(longest, wait * 2);
    await pause(wait * (0.5 + Math.random()), signal);
  }
}
