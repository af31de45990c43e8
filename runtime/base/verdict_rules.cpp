#include "runtime/base/verdict_rules.hpp"

#include <algorithm>
#include <iterator>

namespace kevolve {

namespace {

constexpr verdict_rule rules[]{
#define KEVOLVE_RULE(name, result, sentence) {rule_name::name, verdict::result, sentence},
#include "runtime/base/verdict_rules.def"
#undef KEVOLVE_RULE
};

} // namespace

std::span<const verdict_rule> verdict_rules() {
  return rules;
}

const verdict_rule* find_verdict_rule(std::string_view name) {
  name = name.substr(name.rfind('.') + 1);
  const auto* found = std::find_if(std::begin(rules), std::end(rules), [&](const auto& r) { return r.name == name; });
  return found == std::end(rules) ? nullptr : found;
}

std::string verdict_rules_reference() {
  std::string out =
      "# Verdicts and their rules\n\nGenerated from `runtime/base/verdict_rules.def`; `tests/base` keeps it "
      "in step.\n\nA result names the rule it follows from. A rule that begins with `reference.`, "
      "`oracle.` or `baseline.` is about that\nprogram and not about the candidate. The verdict `none` "
      "says nothing about a candidate.\n\n| verdict | rule | meaning |\n|---|---|---|\n";
  for (const auto& r : rules)
    out += "| " + to_string(r.result) + " | `" + std::string{r.name} + "` | " + std::string{r.sentence} + " |\n";
  return out;
}

} // namespace kevolve
