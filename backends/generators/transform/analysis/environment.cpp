#include "backends/generators/transform/analysis/environment.hpp"

#include "backends/generators/transform/ir/build.hpp"

#include <string>

namespace kevolve::transform {

std::string base_label(const std::string& label) {
  auto end = label.find_last_of("0123456789");
  return end == std::string::npos ? label : label.substr(0, end + 1);
}

const loop_facts& facts_of(const environment& env, const std::string& label) {
  static const loop_facts unknown{false, "it is no loop of the reference", {}};
  auto it = env.facts.find(base_label(label));
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
