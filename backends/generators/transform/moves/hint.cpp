// hint(L, w, u): a pragma for an innermost loop. clang vectorises it by w and interleaves by u, or leaves it alone.
#include "backends/generators/transform/analysis/analysis.hpp"
#include "backends/generators/transform/analysis/environment.hpp"
#include "backends/generators/transform/ir/build.hpp"
#include "backends/generators/transform/moves/candidates.hpp"
#include "backends/generators/transform/moves/parameters.hpp"

#include <string>
#include <vector>

namespace kevolve::transform {

namespace {

bool is_innermost(const stmt& loop) {
  bool innermost = true;
  walk(loop.body,
       [&](const stmt& s) { innermost = innermost && s.kind != stmt_kind::loop && s.kind != stmt_kind::while_loop; });
  return innermost;
}

// Returns a floating value that the loop carries from one iteration to the next; empty: none.
std::string carried_float(const stmt& loop) {
  std::string out;
  const auto own = declared(loop.body);
  walk(loop.body, [&](const stmt& s) {
    if (s.kind != stmt_kind::assign || !is_float(s.target.type.base) || mentions(s.target, loop.name))
      return;
    if (s.target.kind != expr_kind::name)
      out = root_of(s.target);
    else if (own.count(s.target.text) == 0)
      out = s.target.text;
  });
  return out;
}

result<void> hint(program& p, const loop_label& loop, int64_t width, int64_t interleave, const environment& env) {
  bool done = false;
  std::string reason = "no innermost loop " + loop;
  for_each_labelled(p.body.change(), loop, [&](std::vector<stmt>& list, size_t at) -> size_t {
    auto& l = list[at];
    if (l.kind != stmt_kind::loop || l.lanes > 1 || !is_innermost(l) || !l.pragmas.empty())
      return 1;
    // A pragma that asks clang to vectorise also lets it sum in another order.
    if (const auto sum = carried_float(l); width > 1 && !sum.empty() && !may_reassociate(env, scalar_kind::f32)) {
      reason = "the result must be exact, and " + sum + " would be summed in another order";
      return 1;
    }
    // clang 19 forced to vectorise takes accesses for independent whose distance its step does not divide.
    if (width > 1 && l.step > 1 && !facts_of(env, loop).independent) {
      reason = loop + " carries a dependence and is unrolled";
      return 1;
    }
    auto how = facts_of(env, loop).independent ? "assume_safety" : "enable";
    if (width == 1)
      l.pragmas = {"clang loop vectorize(disable) interleave(disable)"};
    else
      l.pragmas = {"clang loop vectorize(" + std::string{how} + ") vectorize_width(" + std::to_string(width)
                   + ") interleave_count(" + std::to_string(interleave) + ")"};
    done = true;
    return 1;
  });
  if (!done)
    return fail(errc::unsupported, reason);
  return {};
}

} // namespace

constinit const move_descriptor moves::hint{
    .name = "hint",
    .takes = {a_loop, a_number(), a_number()},
    .apply = [](program& p, const move_arguments& a, const environment& env) -> result<void> {
      return transform::hint(p, a.label(0), a.number(1), a.number(2), env);
    },
    .candidates =
        [](const site& at, candidate_list& out) {
          const auto& s = at.here;
          if (!at.loop->is_innermost || s.lanes != 1 || !s.pragmas.empty())
            return;
          auto widths = lane_counts(at.env);
          widths.push_back(1);
          for (auto w : widths)
            for (int64_t u : {1, 2, 4})
              out.add((w == 1 ? 0.6 : 0.1 + 0.6 * at.loop->smooth) * at.loop->interest
                          / static_cast<double>(widths.size() * 3),
                      {s.label, std::to_string(w), std::to_string(u)});
        },
    .variants =
        [](const move& m, const environment& env) {
          return [&] {
            auto made_of = varied(m, 1, lane_counts(env));
            for (auto& more : varied(m, 2, {1, 2, 4, 8}))
              made_of.push_back(std::move(more));
            return made_of;
          }();
        },
};

} // namespace kevolve::transform
