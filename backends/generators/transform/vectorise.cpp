// Vectorises a loop at any depth: `lanes` iterations side by side in vector values; what does not depend on the
// iteration stays scalar, inner loops with common bounds stay loops, and conditions become masks.
#include "backends/generators/transform/build.hpp"
#include "backends/generators/transform/moves.hpp"
#include "backends/generators/transform/vectoriser.hpp"

#include <algorithm>
#include <iterator>
#include <set>

namespace kevolve::transform {

using list = std::vector<stmt>;

result<void> vectorise(program& p, const std::string& loop, int64_t lanes, const environment& env) {
  const auto& facts = facts_of(env, loop);
  if (!facts.independent)
    return fail(errc::unsupported, loop + " carries a dependence: " + facts.reason);
  bool done = false;
  std::string reason = "no loop " + loop;
  const auto before = p.body;
  for_each_labelled(p.body.change(), loop, [&](list& where, size_t at) -> size_t {
    const auto l = where[at];
    if (l.kind != stmt_kind::loop || l.lanes > 1) {
      reason = loop + " is vectorised already";
      return 1;
    }
    if (l.step != 1) {
      reason = loop + " is unrolled already";
      return 1;
    }
    std::string why;
    auto carried = reductions(l, why);
    if (!carried) {
      reason = why;
      return 1;
    }
    std::set<std::string> accumulators;
    for (const auto& r : *carried) {
      if (r.op == "xor" || !may_reassociate(env, r.type.base) || r.type.lanes > 1) {
        reason = r.name + " cannot be split into lanes";
        return 1;
      }
      accumulators.insert(r.name);
    }
    try {
      auto parts = divide(l, lanes);
      if (!parts) {
        reason = parts.error().detail;
        return 1;
      }
      auto& main = (*parts)[0];
      main.body = vectoriser(l, static_cast<uint16_t>(lanes), accumulators).run();
      main.lanes = static_cast<uint16_t>(lanes);
      main.pragmas.clear();
      list out;
      list after;
      for (const auto& r : *carried) {
        auto type = scalar_type(r.type.base);
        type.lanes = main.lanes;
        auto name = fresh_name(p, r.name + "_lanes");
        rename(main.body.change(), r.name, name);
        auto start = reduction_start(r);
        out.push_back(make_declare(name, type, make_expr(expr_kind::splat, type, {start})));
        after.push_back(
            reduction_join(r, make_expr(expr_kind::fold, scalar_type(r.type.base), {make_name(name, type)}, r.op)));
      }
      for (const auto& name : declared(main.body)) // masks
        if (std::find(p.taken.begin(), p.taken.end(), name) == p.taken.end())
          p.taken.push_back(name);
      out.push_back(std::move(main));
      std::move(after.begin(), after.end(), std::back_inserter(out));
      if (parts->size() > 1)
        out.push_back(std::move((*parts)[1]));
      auto n = out.size();
      where.erase(where.begin() + static_cast<ptrdiff_t>(at));
      where.insert(where.begin() + static_cast<ptrdiff_t>(at), std::make_move_iterator(out.begin()),
                   std::make_move_iterator(out.end()));
      done = true;
      return n;
    } catch (const refusal& r) {
      reason = r.reason;
      return 1;
    }
  });
  if (!done)
    return fail(errc::unsupported, reason);
  if (weight(p.body) > weight_limit) { // loads lane by lane
    p.body = before;
    return fail(errc::unsupported, "the code would grow too long");
  }
  return {};
}

} // namespace kevolve::transform
