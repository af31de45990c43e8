// All policies: each line of runtime/base/policy_kinds.def calls the function of that name.
#include "actors/search/policies/policies.hpp"

namespace kevolve {

const std::vector<std::unique_ptr<const selection_policy>>& selection_policies() {
  static const auto all = [] {
    std::vector<std::unique_ptr<const selection_policy>> out;
#define KEVOLVE_POLICY(name) out.push_back(policies::name());
#include "runtime/base/policy_kinds.def"
#undef KEVOLVE_POLICY
    return out;
  }();
  return all;
}

} // namespace kevolve
