// fuse(A, B): loop fusion. B, which follows A over the same range, runs in A.
#include "backends/generators/transform/analysis/analysis.hpp"
#include "backends/generators/transform/analysis/environment.hpp"
#include "backends/generators/transform/ir/build.hpp"
#include "backends/generators/transform/moves/candidates.hpp"

#include <algorithm>
#include <iterator>
#include <map>
#include <string>
#include <vector>

namespace kevolve::transform {

namespace {

using list = std::vector<stmt>;

result<void> fuse(program& p, const loop_label& first, const loop_label& second, const environment& env) {
  if (first.base() == second.base())
    return fail(errc::unsupported, second + " is a part of " + first);
  for (const auto& label : {first, second})
    if (!facts_of(env, label).independent)
      return fail(errc::unsupported, label + " carries a dependence: " + facts_of(env, label).reason);
  size_t copies = 0;
  std::string reason = second + " does not follow " + first;
  auto fused = p;
  for_each_labelled(fused.body.change(), first, [&](list& where, size_t at) -> size_t {
    ++copies;
    if (at + 1 >= where.size() || where[at + 1].label != second || where[at].kind != stmt_kind::loop
        || where[at + 1].kind != stmt_kind::loop)
      return 1;
    auto a = where[at];
    auto b = where[at + 1];
    if (!same(a.from, b.from) || !same(a.to, b.to) || a.step != b.step || a.type.base != b.type.base || a.lanes > 1
        || b.lanes > 1) {
      reason = first + " and " + second + " do not run over the same range";
      return 1;
    }
    if (leaves_early(a.body) || leaves_early(b.body)) {
      reason = "one of them can be left early";
      return 1;
    }
    for (const auto& name : assigned(a.body))
      if (declared(a.body).count(name) == 0 && (mentions(b.body, name) || mentions(a.to, name))) {
        reason = second + " needs what " + first + " makes of " + name;
        return 1;
      }
    for (const auto& name : assigned(b.body))
      if (declared(b.body).count(name) == 0 && mentions(a.body, name)) {
        reason = first + " needs " + name + " before " + second + " changes it";
        return 1;
      }
    std::map<std::string, std::string> names;
    for (const auto& name : declared(b.body))
      if (declared(a.body).count(name) != 0 || name == a.name)
        names.emplace(name, fresh_name(fused, name));
    rename(b.body.change(), names);
    if (b.name != a.name) {
      if (mentions(b.body, a.name)) { // another variable of that name
        reason = second + " needs another " + a.name;
        return 1;
      }
      rename(b.body.change(), b.name, a.name);
    }
    auto rest = b.body.take();
    auto& body = a.body.change();
    std::move(rest.begin(), rest.end(), std::back_inserter(body));
    a.pragmas.clear();
    a.has_value = false;
    where[at] = std::move(a);
    where.erase(where.begin() + static_cast<ptrdiff_t>(at) + 1);
    reason.clear();
    return 1;
  });
  if (!reason.empty())
    return fail(errc::unsupported, reason);
  if (copies != 1)
    return fail(errc::unsupported, first + " stands in several places");
  // No iteration of both together may touch what another one writes.
  const auto facts = analyse(fused, env.task);
  const auto it = facts.find(first);
  if (it == facts.end() || !it->second.independent)
    return fail(errc::unsupported,
                "together they would carry a dependence" + (it == facts.end() ? "" : ": " + it->second.reason));
  // Loops that could change places with the first one must still be able to, for what is known of them stays.
  for (const auto& [outer, known] : env.facts)
    if (known.outranked_by.count(first.base()) != 0 && !known.independent) {
      const auto now = facts.find(outer);
      if (now == facts.end() || now->second.outranked_by.count(first) == 0)
        return fail(errc::unsupported, first + " and " + outer + " could no longer change places");
    }
  p = std::move(fused);
  return {};
}

} // namespace

constinit const move_descriptor moves::fuse{
    .name = "fuse",
    .takes = {a_loop, a_loop},
    .where = site_kind::neighbours,
    .apply = [](program& p, const move_arguments& a, const environment& env) -> result<void> {
      return transform::fuse(p, a.label(0), a.label(1), env);
    },
    .candidates = [](const site& at, candidate_list& out) { out.add(0.7, {at.here.label, at.next->label}); },
};

} // namespace kevolve::transform
