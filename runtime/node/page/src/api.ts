// Requests to the node that served this page. The token lives in this tab's session storage alone and travels in
// a header alone.

const key = "kevolve.token";

export class Problem extends Error {
  constructor(
    readonly status: number, // 0: no answer
    readonly type: string,
    readonly title: string,
    readonly detail: string,
  ) {
    super(detail || title);
  }
}

export const token = {
  read: () => sessionStorage.getItem(key) ?? "",
  keep: (text: string) => sessionStorage.setItem(key, text),
  forget: () => sessionStorage.removeItem(key),
};

const refused = new Set<() => void>();

// Calls back when the node stops accepting the token; returns how to stop that.
export function onRefused(f: () => void): () => void {
  refused.add(f);
  return () => refused.delete(f);
}

async function problemOf(answer: Response): Promise<Problem> {
  let said: { type?: unknown; title?: unknown; detail?: unknown } = {};
  try {
    said = (await answer.json()) as typeof said;
  } catch {
    // no problem document: the status has to do
  }
  const text = (x: unknown) => (typeof x === "string" ? x : "");
  return new Problem(answer.status, text(said.type), text(said.title) || `status ${answer.status}`, text(said.detail));
}

// Throws a Problem unless the answer is good.
export async function request(path: string, init: RequestInit = {}, withToken = token.read()): Promise<Response> {
  const headers = new Headers(init.headers);
  headers.set("Authorization", `Bearer ${withToken}`);
  let answer: Response;
  try {
    answer = await fetch(path, { ...init, headers, credentials: "omit", cache: "no-store", redirect: "error" });
  } catch (e) {
    if (init.signal?.aborted) throw e;
    throw new Problem(0, "", "The node does not answer", "It may have stopped or be starting.");
  }
  if (answer.ok) return answer;
  const why = await problemOf(answer);
  if (why.status === 401 && withToken === token.read()) refused.forEach((f) => f());
  throw why;
}

export async function get<T>(path: string, signal?: AbortSignal): Promise<T> {
  return (await (await request(path, signal ? { signal } : {})).json()) as T;
}

export async function post<T>(path: string, body: Record<string, string | number>): Promise<T> {
  const answer = await request(path, {
    method: "POST",
    body: JSON.stringify(body),
    headers: { "Content-Type": "application/json", "Idempotency-Key": crypto.randomUUID() },
  });
  return (await answer.json()) as T;
}

// Keeps the token if the node takes it, and throws its refusal otherwise.
export async function signIn(text: string): Promise<void> {
  await request("/v1/campaigns?limit=1", {}, text);
  token.keep(text);
}

export const campaignPath = (id: string) => `/v1/campaigns/${encodeURIComponent(id)}`;
