#include "backends/generators/transform/loop_reading.hpp"

#include "backends/generators/transform/analysis/environment.hpp"
#include "backends/generators/transform/analysis/obstacle.hpp"
#include "backends/generators/transform/frontend/ast.hpp"
#include "backends/generators/transform/ir/build.hpp"
#include "backends/generators/transform/moves/registry.hpp"
#include "backends/generators/transform/vectorise/lanes.hpp"

#include <algorithm>
#include <set>
#include <tuple>

namespace kevolve {

namespace {

using namespace transform;

constexpr const char* tried_lanes = "4";
constexpr std::string_view guarded = "a guarded "; // how the vectoriser's words on such accesses begin

// Tries to vectorise the loop as it stands in the reference.
void try_vectors(const program& reference, const stmt& loop, const environment& env, loop_reading& out) {
  std::string reason;
  if (!carried_by(loop, env, reason)) {
    std::set<std::string> chosen;
    for (const auto& c : selections(loop))
      chosen.insert({c.best, c.at});
    std::string ignored;
    out.scalar_by = reductions(loop, ignored, chosen) ? loop_obstacle::order_of_sum : loop_obstacle::carried_value;
    out.scalar_why = reason;
    return;
  }
  auto tried = reference;
  if (const auto done = apply(tried, made(moves::vectorise, {out.label, tried_lanes}), env); !done) {
    const auto& why = done.error().detail;
    out.scalar_by = why.starts_with(guarded) ? loop_obstacle::guarded_access : loop_obstacle::no_vector_form;
    out.scalar_why = why;
  }
}

} // namespace

std::vector<loop_reading> read_loops(const synthesis_context& context) {
  std::vector<loop_reading> out;
  const auto parsed =
      read_function(context.reference_source, context.syntax_tree ? *context.syntax_tree : std::string{},
                    context.task.entry, may_alias(context.task));
  if (!parsed)
    return out;
  const environment env{context.task, context.hardware, context.flag_menu, context.baseline_flags,
                        analyse(*parsed, context.task)};
  const auto kinds = obstacles(*parsed, context.task);
  walk(parsed->body, [&](const stmt& s) {
    loop_reading l;
    l.line = s.line;
    l.label = s.label;
    if (s.kind == stmt_kind::while_loop) {
      l.ordered_by = l.scalar_by = loop_obstacle::early_end;
      l.ordered_why = l.scalar_why = "it ends early, or by what it computes";
    } else if (s.kind != stmt_kind::loop)
      return;
    else if (const auto facts = env.facts.find(l.label); facts == env.facts.end())
      return;
    else if (facts->second.independent)
      try_vectors(*parsed, s, env, l);
    else {
      const auto kind = kinds.find(l.label);
      l.ordered_by = l.scalar_by = kind == kinds.end() ? loop_obstacle::kept_text : kind->second;
      l.ordered_why = l.scalar_why = facts->second.reason;
    }
    out.push_back(std::move(l));
  });
  std::sort(out.begin(), out.end(),
            [](const auto& a, const auto& b) { return std::tie(a.line, a.label) < std::tie(b.line, b.label); });
  return out;
}

} // namespace kevolve
