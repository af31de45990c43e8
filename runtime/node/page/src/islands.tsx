// The islands of an evolution: their populations, and their cells as a grid of measured behaviours.
import { scaleSteps } from "./colours";
import { count, speedup, visible } from "./format";
import { links } from "./route";
import type { Cell, Island, Search } from "./types";

// Cells are coloured by speedup on one scale for all islands; in words, the figure stands in the cell.
function shade(c: Cell, all: Cell[]): string {
  const figures = all.map((x) => Math.log(Math.max(x.speedup, 0.01)));
  const [low, high] = [Math.min(...figures), Math.max(...figures)];
  const share = high > low ? (Math.log(Math.max(c.speedup, 0.01)) - low) / (high - low) : 1;
  return scaleSteps[Math.round(share * (scaleSteps.length - 1))]!;
}

function Row({ id, island, cells, all }: { id: string; island: Island; cells: string[]; all: Cell[] }) {
  const of = new Map(island.cells.map((c) => [c.behaviour, c]));
  const fittest = island.population[0];
  return (
    <tr>
      <th scope="row">island {island.island}</th>
      <td class="number">
        {count(island.begun)}
        {island.began_with !== null && <small> anew with {island.began_with}</small>}
      </td>
      <td class="number">{count(island.population.length)}</td>
      <td>{fittest === undefined ? "none yet" : <a href={links.node(id, fittest)}>{fittest}</a>}</td>
      <td class="number">{island.speedup === null ? "" : speedup(island.speedup)}</td>
      {cells.map((name) => {
        const c = of.get(name);
        return (
          <td key={name} class="number cell">
            {c && (
              <a href={links.node(id, c.best)} title={`${visible(name)}: candidate ${c.best}, the best of ${c.candidates}`}>
                <i class="mark square" style={{ color: shade(c, all) }} aria-hidden="true" /> {speedup(c.speedup)}
              </a>
            )}
          </td>
        );
      })}
    </tr>
  );
}

export function Islands({ id, search }: { id: string; search: Search | undefined }) {
  if (!search || search.islands.length === 0) return null;
  const all = search.islands.flatMap((i) => i.cells);
  const cells = [...new Set(all.map((c) => c.behaviour))].sort();
  return (
    <section aria-label="islands">
      <h2>Islands</h2>
      <div class="wide">
        <table>
          <thead>
            <tr>
              <th />
              <th class="number">begun</th>
              <th class="number">population</th>
              <th>fittest</th>
              <th class="number">speedup</th>
              {cells.map((name) => (
                <th key={name} class="number">
                  {visible(name)}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {search.islands.map((i) => (
              <Row key={i.island} id={id} island={i} cells={cells} all={all} />
            ))}
          </tbody>
        </table>
      </div>
    </section>
  );
}

export function phaseOf(search: Search): string {
  const how = search.phase === "broaden" ? "broad, until something gains" : "exploits the fittest";
  return `${how}; ${count(search.since_gain)} candidates since the last gain`;
}
