// Moves that take a loop apart or join two.
#include "backends/generators/transform/ir/build.hpp"
#include "backends/generators/transform/moves/moves.hpp"

#include <iterator>

namespace kevolve::transform {

namespace {

using list = std::vector<stmt>;

} // namespace

result<void> fission(program& p, const std::string& loop, int64_t first_part, const environment& env) {
  const auto& facts = facts_of(env, loop);
  if (!facts.independent)
    return fail(errc::unsupported, loop + " carries a dependence: " + facts.reason);
  bool divided = false;
  walk(p.body, [&](const stmt& s) { divided = divided || s.label == loop + "d"; });
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
    second.label = loop + "d";
    return list{std::move(first), std::move(second)};
  });
}

result<void> fuse(program& p, const std::string& first, const std::string& second, const environment& env) {
  if (base_label(first) == base_label(second))
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
    if (known.outranked_by.count(base_label(first)) != 0 && !known.independent) {
      const auto now = facts.find(outer);
      if (now == facts.end() || now->second.outranked_by.count(first) == 0)
        return fail(errc::unsupported, first + " and " + outer + " could no longer change places");
    }
  p = std::move(fused);
  return {};
}

} // namespace kevolve::transform
