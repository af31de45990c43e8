// Parts of arrays that the iterations of a loop read again, and the register blocks made of them. Private to plans/.
#pragma once

#include "backends/generators/transform/moves/registry.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace kevolve::transform {

// for (outer) for (middle) { … for (inner) … array[…] … }: the array's part is the same for every `outer`.
struct reuse {
  const stmt* outer;
  const stmt* middle;
  const stmt* inner;
  std::string array;
  scalar_kind element;
  bool straight; // side by side along `middle`
};

std::vector<reuse> reuses(const program& p, const environment& env);
// Returns true if nothing but `middle` stands in `outer`, so that the two can be tiled and swapped.
bool is_alone(const reuse& r, const environment& env);
// Returns true if loops alone lead from `outer` to `middle`, so that several of its iterations may share all of them.
bool leads_to(const stmt& outer, const stmt& middle);
// Returns true if everything that the loop over the sum reads lies along it, and two loops choose which dot product.
bool is_dot(const reuse& r);

// Returns the wider of the element's type and those the loop's sums are kept in: registers fill with these.
scalar_kind kept_in(const stmt& loop, scalar_kind element);
bool updates_fixed_element(const stmt& loop);
// Returns true if sums run over the loop: it stores nothing that its index chooses.
bool is_summed_over(const stmt& loop);

// Returns a register block of `rows` by `vectors` over a packed panel: Goto and van de Geijn, "Anatomy of
// high-performance matrix multiplication", 2008. Untiled, for small matrices: what stands side by side is read where it
// stands.
genome block(const reuse& r, int64_t lanes, int64_t vectors, int64_t rows, const environment& env, bool tiled = true);
// Returns the same block of dot products: vectors along the sum, a partial result for each row and column.
genome dots(const reuse& r, int64_t lanes, int64_t columns, int64_t rows);

} // namespace kevolve::transform
