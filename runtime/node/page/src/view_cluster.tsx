// The nodes of the cluster: how each stands, what it offers and runs, and the queue of jobs; and how to drain one.
import { useState } from "preact/hooks";
import { post, Problem } from "./api";
import { count, seconds, visible, words } from "./format";
import { Await, Chip, Facts, Trouble, useGet } from "./parts";
import type { Cluster, ClusterNode, Offer, QueuedJobs } from "./types";

const chips: Record<string, string> = { live: "running", quarantined: "failed", gone: "failed" };

// Offers of one kind, target and device as one line; jobs that only wait say nothing about a machine.
function offers(of: Offer[]): string[] {
  const slots = new Map<string, number>();
  for (const r of of) {
    if (r.kind === "wait") continue;
    const what = `${words(r.kind)} ${visible(r.target)}${r.about ? `, ${visible(r.about)}` : ""}`;
    slots.set(what, (slots.get(what) ?? 0) + r.slots);
  }
  return [...slots].map(([what, n]) => `${n} × ${what}`);
}

function Drain({ node, after }: { node: ClusterNode; after: () => void }) {
  const [problem, setProblem] = useState<Problem | null>(null);
  const [busy, setBusy] = useState(false);
  if (node.state !== "live" && node.state !== "draining") return null;
  const verb = node.state === "draining" ? "undrain" : "drain";
  const send = async () => {
    setBusy(true);
    setProblem(null);
    try {
      await post(`/v1/nodes/${encodeURIComponent(node.name)}/${verb}`, {});
      after();
    } catch (e) {
      if (e instanceof Problem) setProblem(e);
    }
    setBusy(false);
  };
  return (
    <>
      <button
        disabled={busy}
        title={verb === "drain" ? "no new jobs; those it runs end" : "give it jobs again"}
        aria-label={`${verb} ${visible(node.name)}`}
        onClick={() => void send()}
      >
        {verb === "drain" ? "Drain" : "Undrain"}
      </button>
      {problem && <Trouble problem={problem} />}
    </>
  );
}

function Row({ of: n, after }: { of: ClusterNode; after: () => void }) {
  return (
    <tr class={n.state === "left" || n.state === "gone" ? "dead" : ""}>
      <td class="foreign">
        <b>{visible(n.name)}</b> <small>{visible(n.version)}</small>
      </td>
      <td>{words(n.role)}</td>
      <td>
        <Chip kind={chips[n.state] ?? n.state}>{words(n.state)}</Chip>
        {n.reason && <p class="foreign brief">{visible(n.reason)}</p>}
      </td>
      <td>{seconds(n.seen_s)} ago</td>
      <td class="number">{count(n.jobs)}</td>
      <td>
        <ul class="plain foreign">
          {offers(n.resources).map((line) => (
            <li key={line}>{line}</li>
          ))}
        </ul>
      </td>
      <td class="foreign">
        {n.labels.map((l) => (
          <code key={l}>{visible(l)} </code>
        ))}
      </td>
      <td>
        <Drain node={n} after={after} />
      </td>
    </tr>
  );
}

function Table({ nodes, after }: { nodes: ClusterNode[]; after: () => void }) {
  return (
    <div class="wide">
      <table aria-label="nodes">
        <thead>
          <tr>
            <th>node</th>
            <th>role</th>
            <th>state</th>
            <th>heartbeat</th>
            <th class="number">jobs</th>
            <th>offers</th>
            <th>labels</th>
            <th></th>
          </tr>
        </thead>
        <tbody>
          {nodes.map((n) => (
            <Row key={n.name} of={n} after={after} />
          ))}
        </tbody>
      </table>
    </div>
  );
}

function Queue({ jobs }: { jobs: QueuedJobs[] }) {
  if (jobs.length === 0) return <p class="empty">No job waits or runs.</p>;
  return (
    <div class="wide">
      <table aria-label="queue">
        <thead>
          <tr>
            <th>jobs</th>
            <th>target</th>
            <th class="number">queued</th>
            <th class="number">running</th>
            <th class="number">dead</th>
            <th>oldest</th>
          </tr>
        </thead>
        <tbody>
          {jobs.map((q) => (
            <tr key={`${q.kind} ${q.target}`}>
              <td>{words(q.kind)}</td>
              <td>{visible(q.target)}</td>
              <td class="number">{count(q.queued)}</td>
              <td class="number">{count(q.running)}</td>
              <td class="number">{q.dead > 0 ? <span class="crowded">{count(q.dead)}</span> : 0}</td>
              <td>{seconds(q.oldest_s)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

export function ClusterView() {
  const cluster = useGet<Cluster>("/v1/nodes", 2000);
  return (
    <main>
      <h1>Nodes</h1>
      <Await from={cluster} what="the nodes">
        {(c) => (
          <>
            <Facts
              of={[
                ["this node", <span class="foreign">{visible(c.node)}</span>],
                [
                  "its link",
                  <>
                    <Chip kind={c.state === "joined" ? "running" : "failed"}>{words(c.state)}</Chip>{" "}
                    <span class="foreign">{visible(c.reason)}</span>
                  </>,
                ],
                ["its jobs elsewhere", `${count(c.sent)} sent, ${count(c.received)} results, ${count(c.waiting)} without one`],
                ["jobs of others here", `${count(c.guests)} run, ${count(c.done)} done, ${count(c.returned)} returned, ${count(c.refused)} too late`],
                ["results of others", `${count(c.reused)} reused`],
              ]}
            />
            {c.items.length === 0 ? (
              <p class="empty">This node may not list the others. The page of a home lists all nodes.</p>
            ) : (
              <Table nodes={c.items} after={cluster.again} />
            )}
            <section>
              <h2>Queue of jobs</h2>
              <Queue jobs={c.queue} />
            </section>
          </>
        )}
      </Await>
    </main>
  );
}
