#include "backends/generators/transform/plans/plan_parts.hpp"

#include "backends/generators/transform/ir/build.hpp"

#include <algorithm>
#include <functional>
#include <set>
#include <utility>

namespace kevolve::transform {

namespace {

// Where threads are allowed, the outermost loop that holds most of the work runs in them.
void share_among_threads(program& p, genome& g, const environment& env) {
  std::vector<std::pair<size_t, std::string>> loops;
  const std::function<void(const std::vector<stmt>&)> outermost = [&](const std::vector<stmt>& body) {
    for (const auto& s : body)
      if (s.kind == stmt_kind::loop)
        loops.emplace_back(weight(s.body), s.label);
      else {
        outermost(s.body);
        outermost(s.otherwise);
      }
  };
  outermost(p.body);
  std::sort(loops.rbegin(), loops.rend());
  for (const auto& [size, label] : loops)
    if (auto m = made(moves::parallel, {label}); apply(p, m, env)) {
      g.push_back(std::move(m));
      return;
    }
}

// Returns the moves of a sequence that apply; nothing if no vectors come of it, or, where they would be gathered, no
// panel.
genome applied(const program& reference, const genome& g, bool gathers, const environment& env) {
  auto p = reference;
  genome out;
  bool has_vectors = false;
  bool has_panel = false;
  for (const auto& m : g)
    if (apply(p, m, env)) {
      has_vectors = has_vectors || is(m, moves::vectorise);
      has_panel = has_panel || is(m, moves::pack);
      out.push_back(m);
    }
  const bool pays = has_vectors && (!gathers || has_panel);
  if (!pays)
    return {};
  if (env.task.threads)
    share_among_threads(p, out, env);
  return out;
}

} // namespace

void add(std::vector<genome>& out, const program& reference, const genome& g, bool gathers, const environment& env) {
  auto now = applied(reference, g, gathers, env);
  if (!now.empty() && std::find(out.begin(), out.end(), now) == out.end())
    out.push_back(std::move(now));
}

int64_t vector_bits(const environment& env) {
  const auto it = env.hardware.find("vector_bits");
  return it == env.hardware.end() || it->second <= 0 ? 128 : it->second;
}

int64_t lanes_of(scalar_kind element, const environment& env) {
  return bits(element) < 8 ? 0 : std::max<int64_t>(2, vector_bits(env) / bits(element));
}

} // namespace kevolve::transform
