// The admin's answers, as far as the page reads them. /v1/openapi.json names the paths.

export interface Page<T> {
  items: T[];
  total: number | null;
  truncated: boolean;
  next: string | null;
  complete?: boolean;
  forgotten?: number;
}

export type Interval = [number | null, number | null] | null;

// An interval, how often such a one holds the true figure, and the pairs and sessions that it comes from.
export interface Bounds {
  interval?: Interval;
  coverage?: number | null;
  pairs?: number | null;
  sessions?: number | null;
}

// Both figures of a confirmation, and the one that is told.
export type Outputs = {
  headline: string;
  not_read: { speedup: number; interval: Interval } | null;
  read: { speedup: number; interval: Interval } | null;
} | null;

// A candidate's speed-up over eager PyTorch or torch.compile; null: it was not timed.
export interface Baseline extends Bounds {
  name: string;
  speedup: number | null;
  time_ns: number | null;
  candidate_ns: number | null;
  note: string | null;
}

export interface Campaign {
  id: string;
  name: string;
  target: string;
  state: string;
  reason: string | null;
  stop_reason: string | null;
  candidates: number;
  valid: number;
  in_flight: number;
  best:
    | (Bounds & {
        candidate: number;
        speedup: number;
        outputs?: Outputs;
        final: boolean;
        summary: string;
        baselines?: Baseline[];
        baseline_headline?: string | null;
      })
    | null;
  budget: { candidates: number | null; wall_s: number | null };
  spent: { wall_s: number; compile_s: number; device_s: number; cost?: number | null };
  last_sequence: number;
  search?: Search;
  profiling?: Profiling;
}

// Profiles of the campaign's own candidates. `share` is the allowed part of the time, `bounds` counts candidates by bottleneck.
export interface Profiling {
  share: number;
  seconds: number;
  profiles: number;
  failed: number;
  last_failure: string | null;
  bounds: Record<string, number>;
}

// A cell of an island: candidates of one measured behaviour.
export interface Cell {
  behaviour: string;
  candidates: number;
  best: number;
  speedup: number;
}

export interface Island {
  island: number; // from 1
  begun: number;
  began_with: number | null; // the candidate that it began anew with
  population: number[]; // fittest first
  speedup: number | null;
  cells: Cell[];
}

// The state of the policies: the phase of `adaptive`, the islands of `evolution`.
export interface Search {
  phase: string | null;
  since_gain: number;
  islands: Island[];
}

// Seconds; `cost` is money, null or absent when nobody knows it.
export interface Cost {
  propose_s?: number;
  compile_s?: number;
  judge_s?: number;
  wall_s?: number;
  tokens_in?: number | null;
  tokens_out?: number | null;
  cost?: number | null;
}

export interface Fault {
  kind: string;
  detail: string;
  retried: unknown;
}

export interface StoryEvent {
  sequence: number;
  campaign?: string | null;
  time: string;
  kind: string;
  data: Record<string, unknown>;
}

export interface History {
  items: StoryEvent[];
  last_sequence: number;
  truncated: boolean;
}

export interface Spread {
  median: number;
  min: number;
  max: number;
  samples: number;
}

export interface ShapeTiming extends Bounds {
  shape: string;
  held_out: boolean;
  weight: number;
  decision: string;
  speedup: number;
  reference_ns: Spread | null;
  candidate_ns: Spread | null;
  floor_ns: number | null;
  samples?: { baseline_ns: number[]; candidate_ns: number[] };
}

export interface Outcome extends Bounds {
  verdict: string | null;
  fault: Fault | null;
  rule: string | null;
  detail: string;
  evidence: Record<string, string>;
  correctness: Record<string, number | boolean | null>;
  decision: string;
  speedup: number;
  outputs?: Outputs;
  estimate: boolean;
  shapes: ShapeTiming[];
  sandbox_level: string | null;
  judge_s: number;
}

// The candidate whose measurement a verdict is.
export interface Owner {
  campaign: string;
  candidate: number | null;
}

export interface Evaluation {
  id: string;
  stage: string;
  baseline: string;
  wall_s: number;
  fingerprint: Record<string, string>;
  verdict?: string;
  log?: string;
  outcome?: Outcome;
}

export interface NodeWhole extends Bounds {
  index: number;
  reference?: boolean;
  parents?: number[];
  state?: string;
  verdict?: string | null;
  fault?: Fault | null;
  rule?: string | null;
  detail?: string;
  speedup?: number;
  estimate?: boolean;
  confirmed?: boolean;
  baseline?: number;
  duplicate_of?: number | null;
  reused_from?: Owner | null;
  proposal?: Record<string, string | null>;
  evaluations?: Evaluation[];
  cost?: Cost;
  language?: string | null;
  path?: string;
  source: string | null;
  diff_to_parents?: { parent: number; diff: string }[];
  diff_to_reference?: string | null;
  prompt?: string | null;
  reply?: string | null;
  exchanges?: Exchange[];
  skills?: GivenSkill[] | null;
}

// A skill as a step was given it; `applied`: its candidate says that it applies it.
export interface GivenSkill extends Bounds {
  id: string;
  state: string;
  weight: number;
  gain: number;
  applications: number;
  applied: boolean;
  step: { moves: string | null; words: string | null };
}

export interface Report {
  by: string | null;
  problems: { problem: string; evidence: string | null; strategy: string | null; weight: number; deferred: boolean }[];
  look_up: string[];
}

export interface Retrieval {
  reason: string;
  signals: string[];
  text: string;
  budget: number;
  documents: number;
  admitted: number;
  matched: number;
  sections: {
    document: string;
    heading: string;
    matched: string[];
    signal_score: number;
    text_score: number;
    score: number;
    tokens: number;
    outcome: string;
  }[];
}

// A question to a model; of its many members, those that the page shows.
export interface Exchange {
  id: string;
  purpose: string;
  report: Report;
  retrievals: Retrieval[];
}

export interface DocumentBrief {
  id: string;
  title: string;
  category: string;
  targets: string[];
  signals: string[];
  checked: string;
  file: string;
  sections: number;
}

export interface DocumentWhole extends Omit<DocumentBrief, "sections"> {
  sources: Record<string, string>;
  sections: { heading: string; text: string; sources: string[]; line: number }[];
}

export interface Task {
  name: string;
  summary: string;
  language: string;
  prototype: string;
  work: { flops: string | null; bytes: string | null };
  shapes: { shape: string; held_out: boolean; weight: number; flops: number | null; bytes: number | null }[];
}

export interface Actor {
  id: number;
  kind: string;
  name: string;
  parent: number | null;
  alive: boolean;
  state: string;
  message: string | null;
  since: string | null;
  spawned: string | null;
  ended: string | null;
  handled: number;
  in_flight: number;
  mailbox: number;
  restarts: number;
  last_failure: string | null;
}

export interface ActorKind {
  kind: string;
  live: number;
  busy: number;
  dead: number;
  failed: number;
  restarts: number;
  mailbox: number;
  handled: number;
}

export interface Resource {
  resource: string;
  id: string;
  up: boolean;
  leased: boolean;
  granted: number;
  unfit: string | null;
}

// The use of a document or a skill: the largest gain and the candidate that has it.
export interface Brought {
  best_gain: number | null;
  campaign: string | null;
  candidate: number | null;
}

// The use of a document: finished steps whose prompts quoted it, and those whose candidate passed.
export interface DocumentFigure extends Brought {
  document: string;
  steps: number;
  valid: number;
}

export interface DocumentFigures {
  items: DocumentFigure[];
  exchanges: number;
  complete: boolean;
}

export interface SkillBrief extends Bounds {
  id: string;
  version: number;
  state: string;
  reason: string | null;
  weight: number;
  gain: number; // to expect
  brought: Brought & { applications: number; valid: number };
  conditions: {
    target: string | null;
    language: string | null;
    families: string[];
    dtypes: string[];
    hardware: string[];
    bound: string | null;
    pattern: string | null;
  };
  not_for: string[];
  step: { moves: string | null; words: string | null; before?: string | null; after?: string | null };
  provenance: { campaign: string; campaign_name: string; task: string; parent: number; candidate: number; by: string };
}

// A measured application of a skill; null as its gain: the candidate did not pass.
export interface Application extends Bounds {
  campaign: string;
  parent: number;
  candidate: number;
  task: string;
  time: string | null;
  verdict: string;
  gain: number | null;
  hardware: string[];
  share: number; // of the weight
  origin: boolean;
}

export interface SkillWhole extends SkillBrief {
  weighing: { prior_share: number; mean: number; contradictions: number; halved: boolean };
  applications: Application[];
  history: { version: number; time: string | null; state: string; reason: string | null; by: string | null }[];
}

// GET /v1/node
export interface ThisNode {
  version: string;
  in_cluster: boolean;
}

// A kind of job that a node may run; `slots` of them at once.
export interface Offer {
  kind: string;
  target: string;
  hardware: string;
  slots: number;
  about: string;
}

export interface ClusterNode {
  name: string;
  role: string;
  version: string;
  state: string; // live, draining, quarantined, left or gone
  reason: string;
  seen_s: number; // since its last heartbeat
  labels: string[];
  jobs: number; // that it runs
  resources: Offer[];
}

export interface QueuedJobs {
  kind: string;
  target: string;
  queued: number;
  running: number;
  dead: number;
  oldest_s: number;
}

// The cluster as this node sees it. A worker may list neither nodes nor jobs.
export interface Cluster {
  node: string;
  state: string; // joined or away
  reason: string;
  sent: number;
  received: number;
  waiting: number;
  done: number;
  returned: number;
  refused: number;
  reused: number;
  guests: number;
  queue: QueuedJobs[];
  items: ClusterNode[];
}

// A loop of the candidate's source within one call; `parent` is its place in the list.
export interface DiagnosisLoop {
  line: number;
  last: number;
  parent: number;
  ns: number | null;
  self_ns: number | null;
  share: number | null;
  entries: number | null; // of one call
  trips: number | null; // mean of an entry
  vector_lanes: number | null;
}

export interface Finding {
  title: string;
  share: number;
  confidence: number;
  headroom: number | null; // times faster without it
  evidence: Record<string, number>;
  pass: string;
  words: string;
  strategy: string;
  lines: { first: number; last: number }[];
}

// A kernel of a device's call; `limit` is the resource that limits its occupancy.
export interface DiagnosisKernel {
  kernel: string;
  launches: number;
  ns: number | null;
  share: number | null;
  registers: number | null;
  occupancy: number | null;
  limit: string | null;
}

// docs/diagnosis.schema.json
export interface Diagnosis {
  shape: string;
  call_ns: number | null;
  probed_call_ns: number | null;
  timed_share?: number | null; // of the instrumented call, that the timed loops add up to
  roof: { ns: number; by: string; headroom: number } | null;
  bound: { class: string; title: string; confidence: number; share: number; strategy: string } | null;
  loops: DiagnosisLoop[];
  kernels?: DiagnosisKernel[];
  assembly?: string | null; // machine code of the loop that takes the time
  findings: Finding[];
}

export interface Artefact {
  pass: string;
  kind: string;
  digest: string;
  bytes: number;
  text: string | null; // null: it is no text
  base64: string | null;
}

export interface ProfilePass {
  name: string;
  state: "ran" | "reused" | "skipped";
  uses: string | null; // the resource that it holds: core, device or compiler
  instrumented_build: boolean;
  seconds: number;
  perturbation: number | null;
  reason: string | null;
  remedy: string | null;
  artefacts: Record<string, string>;
}

export interface Profile {
  candidate: number;
  seconds?: number; // of the passes that ran
  passes: ProfilePass[];
  diagnosis: Diagnosis | null;
}

// The reason why a loop of the reference stays as it is, and what would unlock it.
export interface Obstacle {
  why: string;
  rewrite: string;
  assertion: string | null;
  task_lines: string | null; // for the task's file
}

export interface ReadLoop {
  line: number;
  source: string;
  order: Obstacle | null; // of another order of its iterations
  vectors: Obstacle | null;
}

// kevolve explain: of the best candidate, or of the reference where nothing is faster.
// The bottleneck that a candidate's stored profile names; class "unknown": none.
export interface KnownBound {
  candidate: number;
  relation: string;
  class: string;
  title: string;
  confidence: number;
  share: number;
  line: number | null;
  strategy: string;
}

export interface Explanation {
  task: string;
  best: number;
  speedup: number | null;
  profiled: boolean;
  bound: KnownBound | null;
  why_no_bound: string[];
  reasons: { kind: "roof" | "bottleneck" | "loop" | "kept"; line: number | null; words: string; rewrite: string | null }[];
  nothing_found: string | null;
  diagnosis: Diagnosis | null;
  other_diagnosis: Diagnosis | null; // the nearest other candidate's, where the best's names no bottleneck
  profiles: KnownBound[]; // of all candidates of the campaign
  reference: { loops: ReadLoop[]; kept: { line: number; why: string }[] };
  tried_without_gain: { candidate: number; parent: number; summary: string; outcome: string; gain: number | null }[];
}
