// fission(L, k): loop distribution. L runs over the first k statements of its body, Ld over the others.
#include "backends/generators/transform/analysis/analysis.hpp"
#include "backends/generators/transform/analysis/environment.hpp"
#include "backends/generators/transform/ir/build.hpp"
#include "backends/generators/transform/moves/candidates.hpp"
#include "backends/generators/transform/moves/rewriting.hpp"

#include <string>
#include <vector>

namespace kevolve::transform {

namespace {

using list = std::vector<stmt>;

result<void> fission(program& p, const loop_label& loop, int64_t first_part, const environment& env) {
  const auto& facts = facts_of(env, loop);
  if (!facts.independent)
    return fail(errc::unsupported, loop + " carries a dependence: " + facts.reason);
  bool divided = false;
  walk(p.body, [&](const stmt& s) { divided = divided || s.label == loop.with(loop_role::second_body); });
  if (divided)
    return fail(errc::unsupported, loop + " is in parts already");
  return replace(p, loop, 1, [&](const stmt& l) -> result<list> {
    const auto n = static_cast<size_t>(first_part);
    if (n >= l.body.size())
      return fail(errc::unsupported, loop + " has no " + std::to_string(n + 1) + " statements");
    std::string reason;
    auto carried = reductions(l, reason);
    if (!carried)
      return fail(errc::unsupported, reason);
    if (leaves_early(l.body))
      return fail(errc::unsupported, loop + " can be left early");
    const std::vector<stmt>& all = l.body;
    list before(all.begin(), all.begin() + static_cast<ptrdiff_t>(n));
    list after(all.begin() + static_cast<ptrdiff_t>(n), all.end());
    const auto apart = [&](const list& part, const list& other) -> result<void> {
      for (const auto& s : part)
        if (s.kind == stmt_kind::declare && mentions(other, s.name))
          return fail(errc::unsupported, "both parts of " + loop + " need " + s.name);
      const auto own = declared(part);
      for (const auto& name : assigned(part))
        if (own.count(name) == 0 && mentions(other, name))
          return fail(errc::unsupported, "both parts of " + loop + " need " + name);
      return {};
    };
    if (auto ok = apart(before, after); !ok)
      return tl::unexpected(ok.error());
    if (auto ok = apart(after, before); !ok)
      return tl::unexpected(ok.error());
    auto first = l;
    first.body = std::move(before);
    auto second = l;
    second.body = std::move(after);
    second.label = loop.with(loop_role::second_body);
    return list{std::move(first), std::move(second)};
  });
}

} // namespace

constinit const move_descriptor moves::fission{
    .name = "fission",
    .takes = {a_loop, a_number()},
    .apply = [](program& p, const move_arguments& a, const environment& env) -> result<void> {
      return transform::fission(p, a.label(0), a.number(1), env);
    },
    .candidates =
        [](const site& at, candidate_list& out) {
          const auto& s = at.here;
          if (at.loop->facts.independent && s.body.size() > 1)
            for (size_t n = 1; n < s.body.size(); ++n)
              out.add(0.3 / static_cast<double>(s.body.size() - 1), {s.label, std::to_string(n)});
        },
};

} // namespace kevolve::transform
