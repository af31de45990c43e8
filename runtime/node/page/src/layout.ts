// Places for a search tree: depth to the right, leaves one under the other, a node at the middle of its children.
// Linear in the nodes and without recursion, so a chain of thousands is no trouble.
import type { TreeNode } from "./story";

export interface Placed {
  node: TreeNode;
  x: number; // depth
  y: number; // rows
  parent: Placed | null; // the first one: the node it improves
  others: Placed[]; // further parents
  children: Placed[];
}

export interface Layout {
  all: Placed[]; // parents before children
  byIndex: Map<number, Placed>;
  width: number; // largest x
  height: number; // largest y
}

export function layout(nodes: Map<number, TreeNode>): Layout {
  const byIndex = new Map<number, Placed>();
  const ordered = [...nodes.values()].sort((a, b) => a.index - b.index);
  for (const node of ordered) byIndex.set(node.index, { node, x: 0, y: 0, parent: null, others: [], children: [] });
  const roots: Placed[] = [];
  for (const placed of byIndex.values()) {
    // A parent is always older; anything else would be a circle.
    const parents = placed.node.parents
      .filter((i) => i < placed.node.index)
      .map((i) => byIndex.get(i))
      .filter((p): p is Placed => p !== undefined);
    placed.parent = parents[0] ?? null;
    placed.others = parents.slice(1);
    if (placed.parent) placed.parent.children.push(placed);
    else roots.push(placed);
  }
  const all: Placed[] = [];
  const stack = [...roots].reverse();
  let row = 0;
  let width = 0;
  while (stack.length > 0) {
    const at = stack.pop()!;
    at.x = at.parent ? at.parent.x + 1 : 0;
    width = Math.max(width, at.x);
    all.push(at);
    if (at.children.length === 0) at.y = row++;
    for (let i = at.children.length - 1; i >= 0; --i) stack.push(at.children[i]!);
  }
  for (let i = all.length - 1; i >= 0; --i) {
    const at = all[i]!;
    if (at.children.length > 0) at.y = (at.children[0]!.y + at.children.at(-1)!.y) / 2;
  }
  return { all, byIndex, width: Math.max(1, width), height: Math.max(1, row - 1) };
}
