#include "actors/synthesis/prompt_parts.hpp"
#include "runtime/base/kinds.hpp"
#include "runtime/base/verdict_text.hpp"

namespace kevolve::synthesis {

std::string baselines_text(const prompt_facts& facts, const shown_node& n) {
  if (facts.baselines.empty() || !is_pass(n.node.verdict))
    return {};
  if (best_baseline(n.node.baselines) == nullptr)
    return "Beside PyTorch node " + std::to_string(n.index)
           + " is not timed yet; at the end the best of all is, against " + comma_list(facts.baselines) + ".\n";
  std::string lines;
  for (const auto& line : baseline_lines(n.node.baselines))
    lines += line + "\n";
  return "Beside PyTorch: " + defused(baseline_headline(n.node.baselines)) + ".\n"
         + quote("node " + std::to_string(n.index) + " beside each", lines);
}

} // namespace kevolve::synthesis
