// Where the page is, from the address's fragment: it never reaches the node.
import { useEffect, useState } from "preact/hooks";

export type Route =
  | { view: "campaigns" }
  | { view: "campaign"; id: string }
  | { view: "node"; id: string; index: number }
  | { view: "actors" }
  | { view: "events" }
  | { view: "knowledge" }
  | { view: "document"; id: string }
  | { view: "skills" }
  | { view: "skill"; id: string }
  | { view: "nodes" }
  | { view: "unknown"; path: string };

export function parseRoute(hash: string): Route {
  const path = hash.replace(/^#\/?/, "");
  const parts = path.split("/");
  if (path === "" || path === "campaigns") return { view: "campaigns" };
  if (path === "actors" || path === "events" || path === "knowledge" || path === "skills" || path === "nodes") return { view: path };
  if (/^knowledge\/[a-z0-9-]+\/[a-z0-9-]+$/.test(path)) return { view: "document", id: path.slice("knowledge/".length) };
  const id = parts[1] ?? "";
  if (parts[0] === "skills" && parts.length === 2 && /^[0-9a-f]{4,32}$/.test(id)) return { view: "skill", id };
  if (parts[0] === "campaigns" && /^[0-9a-f]{4,32}$/.test(id)) {
    if (parts.length === 2) return { view: "campaign", id };
    const index = parts[3] ?? "";
    if (parts.length === 4 && parts[2] === "node" && /^[0-9]{1,9}$/.test(index))
      return { view: "node", id, index: Number(index) };
  }
  return { view: "unknown", path };
}

export const links = {
  campaigns: "#/campaigns",
  actors: "#/actors",
  events: "#/events",
  knowledge: "#/knowledge",
  skills: "#/skills",
  skill: (id: string) => `#/skills/${id}`,
  nodes: "#/nodes",
  document: (id: string) => `#/knowledge/${id}`,
  campaign: (id: string) => `#/campaigns/${id}`,
  node: (id: string, index: number) => `#/campaigns/${id}/node/${index}`,
};

export function useRoute(): Route {
  const [hash, setHash] = useState(location.hash);
  useEffect(() => {
    const changed = () => setHash(location.hash);
    addEventListener("hashchange", changed);
    return () => removeEventListener("hashchange", changed);
  }, []);
  return parseRoute(hash);
}
