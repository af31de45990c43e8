// The rules by which a candidate, a reference or a step is refused: the short names that stand in the `rule` of results
// and records, each with the verdict it belongs to and a sentence for people.
#pragma once

#include "runtime/base/verdict.hpp"

#include <span>
#include <string>
#include <string_view>

namespace kevolve {

// The names: rule_name::guard_band is "guard_band". Code names a rule by these alone.
namespace rule_name {
#define KEVOLVE_RULE(name, result, sentence) inline constexpr const char* name = #name;
#include "runtime/base/verdict_rules.def"
#undef KEVOLVE_RULE
} // namespace rule_name

struct verdict_rule {
  std::string_view name;
  verdict result = verdict::none; // none: no verdict, the candidate was not judged
  std::string_view sentence;
};

std::span<const verdict_rule> verdict_rules();

// Returns null if no rule has the name. A name such as "reference.exited", by which the judge says whom it refuses, is
// that of its last part.
const verdict_rule* find_verdict_rule(std::string_view name);

// Returns a page in Markdown with a row for each rule: docs/verdicts.md.
std::string verdict_rules_reference();

} // namespace kevolve
