// A campaign as the fold of its events: the tree, who was best when, what it took. Events come from the history in
// short and then live, in whole; a repeated one changes nothing.
import type { Bounds, Cost, Interval, Owner, StoryEvent } from "./types";

export type NodeState = "in_flight" | "finished" | "faulted" | "abandoned";

export interface TreeNode extends Bounds {
  index: number;
  parents: number[];
  state: NodeState;
  verdict: string | null; // "reference" for node 0
  rule: string | null;
  speedup: number;
  estimate: boolean;
  confirmed: boolean;
  generator: string;
  summary: string;
  policy: string;
  memory: string; // what its step was shown
  island: number; // of the policy evolution, from 1; 0: none
  cost: Cost;
  wall: number; // the campaign's clock at its end, seconds
  order: number; // finished as the n-th; 0: not yet
  sameAs: number; // the candidate with the same bytes; 0: none
  reusedFrom: Owner | null;
}

export interface Promotion extends Bounds {
  index: number;
  speedup: number;
  wall: number;
  order: number; // how many candidates had finished
}

function text(x: unknown): string {
  return typeof x === "string" ? x : "";
}
function number(x: unknown): number {
  return typeof x === "number" ? x : 0;
}

// The interval under either name: nodes of before say "ci95".
function bounds(d: Record<string, unknown>): Bounds {
  return {
    interval: (d["interval"] ?? d["ci95"] ?? null) as Interval,
    coverage: number(d["coverage"]),
    pairs: number(d["pairs"]),
    sessions: number(d["sessions"]),
  };
}

export class Story {
  readonly nodes = new Map<number, TreeNode>();
  readonly promotions: Promotion[] = [];
  readonly finished: TreeNode[] = []; // in the order of their ends
  peaks: Record<string, number> = {};
  last = 0;
  private begun = 0;
  private earlier = 0;
  private latest = 0;

  constructor() {
    const root = this.add(0, []);
    root.state = "finished";
    root.verdict = "reference";
    root.speedup = 1;
  }

  get best(): Promotion | undefined {
    return this.promotions.at(-1);
  }

  // The nodes from the reference to the best one.
  bestPath(): Set<number> {
    const path = new Set<number>();
    for (let at = this.best?.index; at !== undefined && !path.has(at); at = this.nodes.get(at)?.parents[0]) path.add(at);
    return path;
  }

  apply(e: StoryEvent): void {
    if (e.sequence <= this.last) return;
    this.last = e.sequence;
    const d = e.data;
    const at = Date.parse(e.time) / 1000;
    if (e.kind === "session_started") {
      if (this.begun > 0) this.earlier += this.latest - this.begun;
      this.begun = at;
    }
    this.latest = at;
    const wall = this.begun > 0 ? this.earlier + at - this.begun : 0;
    switch (e.kind) {
      case "campaign_prepared":
        for (const [name, value] of Object.entries((d["peaks"] ?? {}) as Record<string, string>))
          if (Number(value) > 0) this.peaks[name.replace(/^peak\./, "")] = Number(value);
        break;
      case "node_selected":
        if (!this.nodes.has(number(d["index"]))) {
          const n = this.add(number(d["index"]), (d["parents"] ?? []) as number[]);
          n.policy = text(d["policy"]);
          n.memory = text(d["memory"]);
          // Live events have the selection's whole statistics.
          n.island = number(d["island"] ?? (d["statistics"] as Record<string, unknown> | undefined)?.["island"]);
        }
        break;
      case "node_proposed": {
        const n = this.nodes.get(number(d["index"]));
        if (!n) break;
        n.generator = text(d["generator"]);
        n.summary = text(d["summary"]);
        break;
      }
      case "node_finished":
        this.end(d, wall);
        break;
      case "node_faulted": {
        const n = this.nodes.get(number(d["index"]));
        if (n && n.state === "in_flight") n.state = "faulted";
        break;
      }
      case "champion_changed":
        this.promotions.push({
          index: number(d["index"]),
          speedup: number(d["speedup"]),
          ...bounds(d),
          wall,
          order: this.finished.length,
        });
        this.bound(number(d["speedup"]));
        break;
      case "node_amended": {
        const n = this.nodes.get(number(d["index"]));
        if (n) n.reusedFrom = (d["reused_from"] ?? null) as Owner | null;
        break;
      }
      case "campaign_finished": // what it had begun ends with it
        this.turn("in_flight", "abandoned");
        if (d["best"]) this.bound(number(d["speedup"]));
        break;
      case "campaign_steered":
        if (d["action"] === "reopen") this.turn("abandoned", "in_flight");
        break;
    }
  }

  private turn(from: NodeState, to: NodeState): void {
    for (const n of this.nodes.values()) if (n.state === from) n.state = to;
  }

  // A candidate whose code is its baseline's was not timed: it has the baseline's figure of its day, never more than the best's.
  private bound(most: number): void {
    for (const n of this.finished) if (n.rule === "same_object") n.speedup = Math.min(n.speedup, most);
  }

  private end(d: Record<string, unknown>, wall: number): void {
    const index = number(d["index"]);
    const n = this.nodes.get(index) ?? this.add(index, (d["parents"] ?? []) as number[]);
    if (n.order > 0) return;
    const proposal = (d["proposal"] ?? {}) as Record<string, unknown>;
    n.state = d["verdict"] ? "finished" : "faulted";
    n.verdict = d["verdict"] ? text(d["verdict"]) : null;
    n.rule = d["rule"] ? text(d["rule"]) : null;
    n.speedup = number(d["speedup"]);
    if (n.rule === "same_object" && this.best) n.speedup = Math.min(n.speedup, this.best.speedup);
    Object.assign(n, bounds(d));
    n.estimate = d["estimate"] === true;
    n.confirmed = d["confirmed"] === true;
    n.generator = text(proposal["generator"]) || n.generator;
    n.summary = text(proposal["summary"]) || n.summary;
    n.cost = (d["cost"] ?? {}) as Cost;
    n.wall = wall;
    n.sameAs = number(d["duplicate_of"]);
    n.reusedFrom = (d["reused_from"] ?? null) as Owner | null;
    n.order = this.finished.push(n);
  }

  private add(index: number, parents: number[]): TreeNode {
    const n: TreeNode = {
      index,
      parents,
      state: "in_flight",
      verdict: null,
      rule: null,
      speedup: 0,
      interval: null,
      estimate: false,
      confirmed: false,
      generator: "",
      summary: "",
      policy: "",
      memory: "",
      island: 0,
      cost: {},
      wall: 0,
      order: 0,
      sameAs: 0,
      reusedFrom: null,
    };
    this.nodes.set(index, n);
    return n;
  }
}
