// The list of policies. A new one is a file here, a declaration in policies.hpp, a line below, and its name in the
// table of runtime/base/kinds.cpp. Campaign files are read by that table.
#include "actors/search/policies/policies.hpp"

namespace kevolve {

const std::vector<std::unique_ptr<const selection_policy>>& selection_policies() {
  static const auto all = [] {
    std::vector<std::unique_ptr<const selection_policy>> out;
    out.push_back(policies::adaptive());
    out.push_back(policies::beam());
    out.push_back(policies::evolution());
    out.push_back(policies::greedy());
    out.push_back(policies::random());
    out.push_back(policies::uct());
    return out;
  }();
  return all;
}

} // namespace kevolve
