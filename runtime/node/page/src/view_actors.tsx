// The actor tree as it is now: who does what since when, restarts, mailbox depth, last failures; and the dead.
import { useState } from "preact/hooks";
import { ago, clock, count, visible, words } from "./format";
import { Await, Chip, Fold, useGet, useLoad } from "./parts";
import { everyPage } from "./view_campaigns";
import type { Actor, ActorKind, Page, Resource } from "./types";

const crowded = 100; // a mailbox this deep stands out

export interface Branch {
  actor: Actor;
  depth: number;
}

// Parents before their children; an actor whose parent is not listed is a root.
export function branches(actors: Actor[]): Branch[] {
  const known = new Set(actors.map((a) => a.id));
  const below = new Map<number | null, Actor[]>();
  for (const a of actors) {
    const parent = a.parent !== null && known.has(a.parent) && a.parent !== a.id ? a.parent : null;
    below.set(parent, [...(below.get(parent) ?? []), a]);
  }
  const out: Branch[] = [];
  const placed = new Set<number>();
  const stack = (below.get(null) ?? []).map((actor) => ({ actor, depth: 0 })).reverse();
  while (stack.length > 0) {
    const at = stack.pop()!;
    if (placed.has(at.actor.id)) continue;
    placed.add(at.actor.id);
    out.push(at);
    for (const child of [...(below.get(at.actor.id) ?? [])].reverse()) stack.push({ actor: child, depth: at.depth + 1 });
  }
  return out;
}

function Row({ branch: { actor: a, depth } }: { branch: Branch }) {
  return (
    <tr class={a.alive ? "" : "dead"}>
      <td class="actor" style={{ paddingInlineStart: `${0.5 + depth * 1.2}rem` }}>
        <b>{words(a.kind)}</b> {visible(a.name)} <small>{a.id}</small>
      </td>
      <td class="foreign brief">{visible(a.state)}</td>
      <td class="number">
        <span class={a.mailbox >= crowded ? "crowded" : ""}>{count(a.mailbox)}</span>
      </td>
      <td class="number">{a.restarts > 0 ? <Chip kind="restarts">{a.restarts}</Chip> : 0}</td>
      <td class="number">{count(a.handled)}</td>
      <td>{a.ended ? `ended ${clock(a.ended)}` : `${a.message ? visible(a.message) : "idle"} for ${ago(a.since)}`}</td>
      <td class="foreign brief">{visible(a.last_failure ?? "")}</td>
    </tr>
  );
}

function Table({ rows, label }: { rows: Branch[]; label: string }) {
  return (
    <div class="wide">
      <table aria-label={label}>
        <thead>
          <tr>
            <th>actor</th>
            <th>state</th>
            <th class="number">mailbox</th>
            <th class="number">restarts</th>
            <th class="number">handled</th>
            <th>message</th>
            <th>last failure</th>
          </tr>
        </thead>
        <tbody>
          {rows.map((b) => (
            <Row key={b.actor.id} branch={b} />
          ))}
        </tbody>
      </table>
    </div>
  );
}

function Kinds() {
  const summary = useGet<Page<ActorKind>>("/v1/actors/summary", 3000);
  return (
    <Await from={summary} what="the summary">
      {(page) => (
        <div class="wide">
          <table aria-label="actors by kind">
            <thead>
              <tr>
                <th>kind</th>
                <th class="number">live</th>
                <th class="number">busy</th>
                <th class="number">dead</th>
                <th class="number">failed</th>
                <th class="number">restarts</th>
                <th class="number">mailbox</th>
                <th class="number">handled</th>
              </tr>
            </thead>
            <tbody>
              {page.items.map((k) => (
                <tr key={k.kind}>
                  <td>{words(k.kind)}</td>
                  {[k.live, k.busy, k.dead, k.failed, k.restarts, k.mailbox, k.handled].map((n, i) => (
                    <td key={i} class="number">{count(n)}</td>
                  ))}
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
    </Await>
  );
}

function Resources() {
  const list = useGet<Page<Resource>>("/v1/resources", 3000);
  return (
    <Await from={list} what="the resources">
      {(page) =>
        page.items.length === 0 ? (
          <p class="empty">No compiler and no device has offered itself.</p>
        ) : (
          <ul class="plain">
            {page.items.map((r) => (
              <li key={r.id}>
                <b>{words(r.resource)}</b> {visible(r.id)}{" "}
                <Chip kind={!r.up || r.unfit ? "failed" : r.leased ? "running" : "finished"}>
                  {!r.up ? "down" : r.unfit ? "unfit" : r.leased ? "leased" : "free"}
                </Chip>{" "}
                {count(r.granted)} leases {r.unfit && <span class="foreign">{visible(r.unfit)}</span>}
              </li>
            ))}
          </ul>
        )
      }
    </Await>
  );
}

export function Actors() {
  const [still, setStill] = useState(false);
  const live = useLoad((signal) => everyPage<Actor>("/v1/actors?state=live", signal, 2000), "live actors", still ? 0 : 1500);
  return (
    <main>
      <div class="bar">
        <h1>Actors</h1>
        <button aria-pressed={still} onClick={() => setStill(!still)}>
          {still ? "Go on" : "Hold still"}
        </button>
      </div>
      <Await from={live} what="actors">
        {(page) => (
          <>
            <p class="note" role="status">
              {count(page.items.length)} of {count(page.total)} live actors.
              {page.complete === false ? ` The node has forgotten ${count(page.forgotten)} of the oldest dead.` : ""}
            </p>
            <Table rows={branches(page.items)} label="live actors" />
          </>
        )}
      </Await>
      <Fold title="By kind" open>
        <Kinds />
      </Fold>
      <Fold title="Compilers and devices" open>
        <Resources />
      </Fold>
      <Fold title="The dead, and why">
        <Dead />
      </Fold>
    </main>
  );
}

function Dead() {
  const list = useLoad(async (signal) => {
    const all = await everyPage<Actor>("/v1/actors?state=dead", signal, 5000);
    return all.items.sort((a, b) => b.id - a.id);
  }, "dead actors", 5000);
  return (
    <Await from={list} what="the dead">
      {(dead) => (dead.length === 0 ? <p class="empty">None.</p> : <Table rows={dead.slice(0, 200).map((actor) => ({ actor, depth: 0 }))} label="dead actors" />)}
    </Await>
  );
}
