// The meaning of a candidate's colour, and its legend.
import { words } from "./format";
import type { TreeNode } from "./story";

export type ColourBy = "speedup" | "verdict" | "generator" | "island" | "policy";

export interface LegendEntry {
  label: string;
  colour: string; // a custom property of the style sheet, or a colour
  mark: "dot" | "cross" | "ring" | "square";
  count: number;
}

const groups: { name: string; colour: string; verdicts: string[] }[] = [
  { name: "pass", colour: "--pass", verdicts: ["pass"] },
  { name: "does not build", colour: "--build", verdicts: ["compile_error", "load_error"] },
  { name: "crashed or over a limit", colour: "--crash", verdicts: ["crashed", "timeout", "out_of_memory"] },
  { name: "wrong", colour: "--wrong", verdicts: ["wrong_shape", "wrong_result", "nonfinite", "nondeterministic"] },
  {
    name: "broke a rule",
    colour: "--breach",
    verdicts: ["input_mutated", "out_of_bounds", "sandbox_violation", "cheating", "faster_than_physics"],
  },
];

export function groupOf(verdict: string | null) {
  return groups.find((g) => g.verdicts.includes(verdict ?? ""));
}

export function verdictColour(n: TreeNode): string {
  if (n.verdict === "reference") return "--ink";
  if (n.state === "in_flight" || n.state === "abandoned") return "--faint";
  return groupOf(n.verdict)?.colour ?? "--fault";
}

export function failed(n: TreeNode): boolean {
  return n.state === "faulted" || (n.state === "finished" && n.verdict !== "pass" && n.verdict !== "reference");
}

// Dark to light, even to the eye and to the colour-blind (viridis).
const scale = ["#440154", "#443a83", "#31688e", "#21908d", "#35b779", "#8fd744", "#fde725"];
export const scaleSteps = scale;

export interface SpeedRange {
  low: number;
  high: number;
}

export function speedRange(nodes: Iterable<TreeNode>): SpeedRange {
  let low = 1;
  let high = 1;
  for (const n of nodes)
    if (n.speedup > 0) {
      low = Math.min(low, n.speedup);
      high = Math.max(high, n.speedup);
    }
  return { low, high: high > low ? high : low * 2 };
}

function speedColour(x: number, range: SpeedRange): string {
  const share = Math.log(x / range.low) / Math.log(range.high / range.low);
  return scale[Math.round(Math.max(0, Math.min(1, share)) * (scale.length - 1))] ?? "--faint";
}

const series = ["--series-1", "--series-2", "--series-3", "--series-4", "--series-5", "--series-6"];

// A colour for every node, and what the colours mean.
export function colouring(by: ColourBy, nodes: TreeNode[]): { of: (n: TreeNode) => string; legend: LegendEntry[] } {
  if (by === "speedup") {
    const range = speedRange(nodes);
    return { of: (n) => (n.speedup > 0 ? speedColour(n.speedup, range) : "--faint"), legend: [] };
  }
  const tally = new Map<string, LegendEntry>();
  const enter = (label: string, colour: string, mark: LegendEntry["mark"]) => {
    const entry = tally.get(label) ?? { label, colour, mark, count: 0 };
    entry.count += 1;
    tally.set(label, entry);
  };
  if (by === "verdict") {
    for (const n of nodes)
      if (n.verdict === "reference") enter("reference", "--ink", "square");
      else if (n.state === "in_flight") enter("in flight", "--faint", "ring");
      else if (n.state === "abandoned") enter("abandoned", "--faint", "ring");
      else if (n.verdict === "pass") enter("pass", "--pass", "dot");
      else enter(groupOf(n.verdict)?.name ?? "fault of the machine", verdictColour(n), "cross");
    return { of: verdictColour, legend: [...tally.values()] };
  }
  const kindOf = (n: TreeNode) => (by === "island" ? (n.island > 0 ? `island ${n.island}` : "") : n[by]);
  const kinds = [...new Set(nodes.map(kindOf).filter(Boolean))].sort();
  const colourOf = (n: TreeNode) =>
    n.verdict === "reference" ? "--ink" : (series[kinds.indexOf(kindOf(n)) % series.length] ?? "--faint");
  for (const n of nodes)
    if (n.verdict === "reference") enter("reference", "--ink", "square");
    else enter(kindOf(n) ? words(kindOf(n)) : by === "island" ? "no island" : "none yet", colourOf(n), "dot");
  return { of: colourOf, legend: [...tally.values()] };
}
