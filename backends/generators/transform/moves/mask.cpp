// mask(L): masked epilogue. What remains of L after its whole vectors runs in vectors too, some of whose lanes rest.
#include "backends/generators/transform/analysis/bounds.hpp"
#include "backends/generators/transform/analysis/environment.hpp"
#include "backends/generators/transform/analysis/partial_results.hpp"
#include "backends/generators/transform/ir/build.hpp"
#include "backends/generators/transform/moves/candidates.hpp"
#include "backends/generators/transform/moves/rewriting.hpp"
#include "backends/generators/transform/vectorise/lanes.hpp"
#include "backends/generators/transform/vectorise/vectoriser.hpp"

#include <algorithm>
#include <string>
#include <vector>

namespace kevolve::transform {

namespace {

using list = std::vector<stmt>;

// Declares the number of iterations that are left, at most `lanes`, as the first statement of each.
stmt count_left(program& p, const stmt& l, int64_t lanes) {
  auto type = scalar_type(scalar_kind::i32);
  const auto left = make_expr(expr_kind::binary, l.to.type, {l.to, make_name(l.name, l.type)}, "-");
  const auto fewer = make_expr(expr_kind::binary, type, {left, make_literal(lanes)}, "<");
  return make_declare(fresh_name(p, l.name + "_left"), type,
                      make_expr(expr_kind::cast, type,
                                {make_expr(expr_kind::conditional, left.type, {fewer, left, make_literal(lanes)})}));
}

result<void> mask(program& p, const loop_label& loop, const environment& env) {
  int64_t lanes = 0;
  walk(p.body, [&](const stmt& s) {
    if (s.kind == stmt_kind::loop && s.label == loop)
      lanes = std::max<int64_t>(lanes, s.lanes);
  });
  if (lanes < 2)
    return fail(errc::unsupported, loop + " is not vectorised");
  const auto within = reads_within(p, loop.with(loop_role::rest), env.task);
  return replace(p, loop.with(loop_role::rest), 1, [&](const stmt& l) -> result<list> {
    if (l.lanes > 1 || l.step != 1)
      return fail(errc::unsupported, "what remains of " + loop + " does not run one by one");
    std::string reason;
    auto carried = carried_by(l, env, reason);
    if (!carried)
      return fail(errc::unsupported, reason);
    auto count = count_left(p, l, lanes);
    auto main = l;
    sum_unsigned(main, carried->sums);
    try {
      main.body =
          vectoriser(main, static_cast<uint16_t>(lanes), carried->names(), within, make_name(count.name, count.type))
              .run();
    } catch (const refusal& r) {
      return fail(errc::unsupported, r.reason);
    }
    main.body.change().insert(main.body.change().begin(), std::move(count));
    main.lanes = static_cast<uint16_t>(lanes);
    main.step = lanes;
    main.has_value = false;
    main.pragmas.clear();
    return with_partial_results(p, std::move(main), *carried);
  });
}

} // namespace

constinit const move_descriptor moves::mask{
    .name = "mask",
    .takes = {a_loop},
    .apply = [](program& p, const move_arguments& a, const environment& env) -> result<void> {
      return transform::mask(p, a.label(0), env);
    },
    .candidates =
        [](const site& at, candidate_list& out) {
          const auto& s = at.here;
          if (at.loop->rest_of_vectors && s.lanes == 1 && s.step == 1)
            out.add(0.6, {s.label.without_last_role()});
        },
};

} // namespace kevolve::transform
