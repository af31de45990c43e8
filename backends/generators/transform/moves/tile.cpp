// tile(L, n): strip-mining. L runs within a block of n, which ends at `min`; Lt runs over the blocks.
#include "backends/generators/transform/moves/tile.hpp"
#include "backends/generators/transform/analysis/environment.hpp"
#include "backends/generators/transform/ir/build.hpp"
#include "backends/generators/transform/moves/candidates.hpp"
#include "backends/generators/transform/moves/parameters.hpp"

#include <algorithm>
#include <string>
#include <vector>

namespace kevolve::transform {

namespace {

std::vector<int64_t> tile_sizes(const environment& env) {
  std::vector<int64_t> out;
  auto most = hardware_fact(env, "cache.l2", 1 << 20) / 512;
  for (int64_t n = 16; n <= std::max<int64_t>(most, 128); n *= 2)
    for (const auto size : {n, n * 3 / 2}) // three vectors make good blocks too
      out.push_back(size);
  return out;
}

} // namespace

result<void> tile(program& p, const loop_label& loop, int64_t size) {
  bool done = false;
  std::string reason = "no loop " + loop;
  for_each_labelled(p.body.change(), loop, [&](std::vector<stmt>& list, size_t at) -> size_t {
    auto& inner = list[at];
    if (inner.kind != stmt_kind::loop || inner.to.kind == expr_kind::minimum || loop.is_tile_of_tiles()) {
      reason = loop + " is a tile already";
      return 1;
    }
    stmt outer;
    outer.kind = stmt_kind::loop;
    outer.label = loop.with(loop_role::tiles);
    outer.type = inner.type;
    outer.name = fresh_name(p, inner.name + "_tile");
    outer.from = inner.from;
    outer.to = inner.to;
    outer.step = size * inner.step;
    auto start = make_name(outer.name, inner.type);
    inner.from = start;
    inner.to =
        make_expr(expr_kind::minimum, inner.to.type, {make_binary("+", start, make_literal(outer.step)), inner.to});
    inner.has_value = false;
    inner.pragmas.clear();
    outer.body = {std::move(inner)};
    list[at] = std::move(outer);
    done = true;
    return 1;
  });
  if (!done)
    return fail(errc::unsupported, reason);
  return {};
}

constinit const move_descriptor moves::tile{
    .name = "tile",
    .takes = {a_loop, a_number()},
    .apply = [](program& p, const move_arguments& a, const environment&) -> result<void> {
      return transform::tile(p, a.label(0), a.number(1));
    },
    .candidates =
        [](const site& at, candidate_list& out) {
          if (at.here.to.kind != expr_kind::minimum && at.here.lanes == 1)
            out.each(0.4 * at.loop->interest, at.here.label, tile_sizes(at.env));
        },
    .variants = [](const move& m, const environment& env) { return varied(m, 1, tile_sizes(env)); },
};

} // namespace kevolve::transform
