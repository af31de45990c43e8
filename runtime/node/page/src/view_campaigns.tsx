// Every campaign of the node.
import { count, interval, seconds, short, speedup, visible, words } from "./format";
import { Await, Chip, useLoad } from "./parts";
import { get } from "./api";
import { links } from "./route";
import type { Campaign, Page } from "./types";

// Every page of a list, up to `most` items.
export async function everyPage<T>(path: string, signal: AbortSignal, most = 5000): Promise<Page<T>> {
  const join = path.includes("?") ? "&" : "?";
  let page = await get<Page<T>>(`${path}${join}limit=1000`, signal);
  const items = page.items;
  while (page.next !== null && items.length < most) {
    page = await get<Page<T>>(`${path}${join}limit=1000&cursor=${encodeURIComponent(page.next)}`, signal);
    items.push(...page.items);
  }
  return { ...page, items };
}

export function share(c: Campaign): number | null {
  const parts: number[] = [];
  if (c.budget.candidates) parts.push(c.candidates / c.budget.candidates);
  if (c.budget.wall_s) parts.push(c.spent.wall_s / c.budget.wall_s);
  return parts.length > 0 ? Math.min(1, Math.max(...parts)) : null;
}

export function Budget({ of }: { of: Campaign }) {
  const x = share(of);
  if (x === null) return <span class="note">no limit</span>;
  return (
    <span class="budget">
      <progress value={x} max={1} aria-label="budget spent" /> {Math.round(x * 100)} %
    </span>
  );
}

export function Campaigns() {
  const list = useLoad((signal) => everyPage<Campaign>("/v1/campaigns", signal), "campaigns", 3000);
  return (
    <main>
      <h1>Campaigns</h1>
      <Await from={list} what="campaigns">
        {(page) =>
          page.items.length === 0 ? (
            <p class="empty">
              No campaign yet. Start one with <code>kevolve run FILE</code> or hand one to this node.
            </p>
          ) : (
            <div class="wide">
              <table>
                <thead>
                  <tr>
                    <th>campaign</th>
                    <th>state</th>
                    <th>best</th>
                    <th class="number">candidates</th>
                    <th class="number">valid</th>
                    <th class="number">in flight</th>
                    <th>budget</th>
                    <th>time</th>
                  </tr>
                </thead>
                <tbody>
                  {page.items.map((c) => (
                    <tr key={c.id}>
                      <td>
                        <a href={links.campaign(c.id)}>{visible(c.name)}</a> <small>{short(c.id)}</small>
                      </td>
                      <td>
                        <Chip kind={c.state}>{words(c.state)}</Chip>
                        {c.stop_reason && <small> {words(c.stop_reason)}</small>}
                      </td>
                      <td>
                        {c.best ? (
                          <a href={links.node(c.id, c.best.candidate)} title={interval(c.best)}>
                            {speedup(c.best.speedup)}
                          </a>
                        ) : (
                          "—"
                        )}
                      </td>
                      <td class="number">{count(c.candidates)}</td>
                      <td class="number">{count(c.valid)}</td>
                      <td class="number">{count(c.in_flight)}</td>
                      <td>
                        <Budget of={c} />
                      </td>
                      <td>{seconds(c.spent.wall_s)}</td>
                    </tr>
                  ))}
                </tbody>
              </table>
            </div>
          )
        }
      </Await>
    </main>
  );
}
