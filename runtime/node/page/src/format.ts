// Numbers and texts for people. What is unknown is said to be unknown, never 0.
import type { Bounds, Owner } from "./types";

export const unknown = "unknown";

export function speedup(x: number | null | undefined): string {
  return x === null || x === undefined || x === 0 ? "—" : `${x.toFixed(x < 10 ? 3 : 1)}×`;
}

// A step's gain: the parent's time over the child's.
export const gain = (x: number) => `${x.toFixed(2)}×`;

// An interval with its coverage, if that is known: four pairs have one of 87.5 %.
export function interval(of: Bounds): string {
  const ci = of.interval;
  if (!ci) return "";
  const side = (x: number | null) => (x === null ? "∞" : x.toFixed(3));
  const coverage = of.coverage ? `${Number((100 * of.coverage).toPrecision(3))} % ` : "";
  const session = of.sessions === 1 ? " within one session" : of.sessions ? ` over ${of.sessions} sessions` : "";
  return `${coverage}${side(ci[0])} to ${side(ci[1])}${session}`;
}

export function seconds(x: number | null | undefined): string {
  if (x === null || x === undefined) return unknown;
  if (x < 1e-3) return `${(x * 1e6).toFixed(0)} µs`;
  if (x < 1) return `${(x * 1e3).toFixed(x < 0.1 ? 1 : 0)} ms`;
  if (x < 120) return `${x.toFixed(1)} s`;
  const minutes = Math.floor(x / 60);
  return minutes < 120 ? `${minutes} min ${Math.floor(x % 60)} s` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

export function money(x: number | null | undefined): string {
  return x === null || x === undefined ? unknown : x.toFixed(x < 1 ? 4 : 2);
}

export function count(x: number | null | undefined): string {
  return x === null || x === undefined ? unknown : x.toLocaleString("en-GB");
}

// The unit that suits the largest of some times: its name and nanoseconds.
export function timeUnit(largest: number): { name: string; ns: number } {
  if (largest < 1e3) return { name: "ns", ns: 1 };
  if (largest < 1e6) return { name: "µs", ns: 1e3 };
  if (largest < 1e9) return { name: "ms", ns: 1e6 };
  return { name: "s", ns: 1e9 };
}

export function nanoseconds(x: number): string {
  const unit = timeUnit(x);
  return `${(x / unit.ns).toPrecision(4)} ${unit.name}`;
}

export function ago(time: string | null, now = Date.now()): string {
  if (!time) return "";
  const s = Math.max(0, (now - Date.parse(time)) / 1000);
  if (s < 10) return `${s.toFixed(1)} s`;
  if (s < 120) return `${s.toFixed(0)} s`;
  return s < 7200 ? `${(s / 60).toFixed(0)} min` : `${(s / 3600).toFixed(0)} h`;
}

export const clock = (time: string) => new Date(time).toLocaleTimeString("en-GB");
export const short = (id: string) => id.slice(0, 8);

export const reused = (from: Owner) => `reused from campaign ${short(from.campaign)}${from.candidate ? `, candidate ${from.candidate}` : ""}`;

// Characters that a reader cannot see, or that turn the text around them, are named: a source that shows one thing
// and means another must not pass.
const unseen = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\u00ad\u061c\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff]/g;
export function visible(text: string): string {
  return text.replace(unseen, (c) => `⟨U+${c.charCodeAt(0).toString(16).toUpperCase().padStart(4, "0")}⟩`);
}

// A name of ours as words: "wrong_result" → "wrong result".
// A stage of the judge in plain words; stored ones stay as they are.
export const stageName = (stage: string) => ({ race: "screening", confirm: "confirmation", final: "final confirmation" })[stage] ?? words(stage);
export const words = (name: string) => visible(name.replaceAll("_", " "));
