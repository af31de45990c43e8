#include "backends/generators/transform/analysis/environment.hpp"

#include "backends/generators/transform/ir/build.hpp"

#include <string>

namespace kevolve::transform {

const loop_facts& facts_of(const environment& env, const loop_label& label) {
  static const loop_facts unknown{false, "it is no loop of the reference", {}};
  auto it = env.facts.find(label.base());
  return it == env.facts.end() ? unknown : it->second;
}

bool may_reassociate(const environment& env, scalar_kind k) {
  if (is_integer(k))
    return true; // wraps the same way in any order (signed overflow is undefined in the reference too)
  for (const auto& a : env.task.arguments)
    if ((a.role == argument_role::output || a.role == argument_role::inout) && is_floating(a.type)
        && tolerance_for(env.task, a).mode == tolerance_mode::exact)
      return false;
  return true;
}

} // namespace kevolve::transform
