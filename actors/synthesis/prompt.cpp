#include "actors/synthesis/prompt.hpp"

#include "actors/synthesis/prompt_parts.hpp"
#include "backends/llm/protocol/tokens.hpp"
#include "runtime/base/memory_operators.hpp"

#include <algorithm>
#include <array>

namespace kevolve::synthesis {

namespace {

prompt_part fixed(std::string name, std::string text) {
  prompt_part p;
  p.name = std::move(name);
  p.text = std::move(text);
  p.tokens = llm::estimate_tokens(p.text);
  p.budget = p.tokens;
  return p;
}

// Makes a part from as many whole items as fit, in order, and a line that counts the omitted ones.
prompt_part itemised(std::string name, std::string_view heading, const std::vector<std::string>& items,
                     int64_t budget) {
  prompt_part p;
  p.name = std::move(name);
  p.rule = cut_rule::items;
  p.budget = budget;
  if (items.empty())
    return p;
  constexpr int64_t for_the_gap = 16;
  auto left = budget - llm::estimate_tokens(heading) - for_the_gap;
  size_t shown = 0;
  std::string body;
  while (shown < items.size() && llm::estimate_tokens(items[shown]) <= left) {
    left -= llm::estimate_tokens(items[shown]);
    body += items[shown++];
  }
  for (size_t i = shown; i < items.size(); ++i)
    p.left_out += items[i].size();
  if (shown == 0)
    return p;
  p.text = std::string{heading} + body;
  if (shown < items.size())
    p.text += "[… " + std::to_string(items.size() - shown) + " more left out …]\n";
  p.tokens = llm::estimate_tokens(p.text);
  return p;
}

// Returns the code to work on. It is never cut, because edits refer to the shown text.
prompt_part code_part(const prompt_facts& facts, bool of_the_tree) {
  if ((!of_the_tree || facts.parents.empty()) && !facts.campaign->form.from_reference)
    return fixed("code", "# Current code: none yet; write " + facts.file_name + " whole\n");
  if (!of_the_tree || facts.parents.empty())
    return fixed("code", "# Current code: the reference, as " + facts.file_name + "\n");
  const auto& p = facts.parents.front();
  return fixed("code", "# Current code: " + facts.file_name + "\n" + outcome_text(p) + baselines_text(facts, p)
                           + quote(facts.file_name + " of node " + std::to_string(p.index), p.node.source));
}

std::string candidate_item(const shown_node& n, const std::string& caption) {
  return outcome_text(n) + quote(caption + ", node " + std::to_string(n.index), n.node.source);
}

std::vector<std::string> combine_items(const prompt_facts& facts) {
  std::vector<std::string> out;
  for (size_t i = 1; i < facts.parents.size(); ++i)
    out.push_back(candidate_item(facts.parents[i], "another candidate"));
  return out;
}

// Returns the fastest candidate with what limits it.
std::vector<std::string> fastest_items(const prompt_facts& facts) {
  std::vector<std::string> out;
  for (const auto& n : facts.fastest)
    out.push_back(candidate_item(n, "the fastest candidate") + baselines_text(facts, n) + bound_text(n.node));
  return out;
}

struct variable_parts {
  prompt_part code;
  prompt_part combine;
  prompt_part fastest;
  prompt_part history;
  prompt_part report;
  prompt_part documents;
  prompt_part step;

  std::array<prompt_part*, 7> in_order() { return {&code, &combine, &fastest, &history, &report, &documents, &step}; }
};

variable_parts make_parts(const prompt_facts& facts, const prompt_budgets& b) {
  const bool of_the_tree = !starts_afresh(facts.memory);
  variable_parts out;
  out.code = code_part(facts, of_the_tree);
  // An item with a quotation is shown whole or not at all: cut, it could lose the mark that ends the quotation.
  out.combine = itemised("combine", "# To combine with it: take what makes each of them fast\n",
                         of_the_tree ? combine_items(facts) : std::vector<std::string>{}, b.combine);
  out.fastest =
      itemised("fastest", "# The fastest so far: the next candidate has to beat it\n", fastest_items(facts), b.fastest);
  out.history = itemised("history", "# History\n", history_items(facts), b.history);
  auto report = of_the_tree ? report_text(facts.report) : std::string{};
  if (of_the_tree && !facts.diagnosis.empty())
    report = "A first look at it:\n" + quote("diagnosis", facts.diagnosis) + report;
  out.report = itemised("report", "# Report\n",
                        report.empty() ? std::vector<std::string>{} : std::vector<std::string>{report}, b.report);
  out.documents = itemised("documents", "# Documents\n", document_items(facts), b.documents);
  out.step = fixed("step", step_text(facts));
  return out;
}

int64_t total(variable_parts& parts) {
  int64_t out = 0;
  for (const auto* p : parts.in_order())
    out += p->tokens;
  return out;
}

answer_rules rules_for(const prompt_facts& facts) {
  answer_rules out;
  const bool reference = starts_afresh(facts.memory) || facts.parents.empty();
  const auto& form = facts.campaign->form;
  const auto& first = form.from_reference ? facts.campaign->reference_source : std::string{};
  out.current = {{facts.file_name, reference ? first : facts.parents.front().node.source}};
  out.entry = form.landmark;
  out.flag_menu = facts.campaign->flag_menu;
  return out;
}

} // namespace

result<prompt> build_prompt(const prompt_facts& facts, const prompt_budgets& budgets) {
  prompt out;
  std::array<prompt_part, 3> stable{fixed("task", role_text() + task_text(facts)),
                                    fixed("hardware", hardware_text(facts)), fixed("format", format_text(facts))};
  for (auto& p : stable) {
    out.system += p.text;
    out.tokens += p.tokens;
  }
  auto b = budgets;
  auto parts = make_parts(facts, b);
  if (parts.code.tokens > b.code)
    return fail(errc::bad_input, "the current code is " + std::to_string(parts.code.tokens)
                                     + " tokens by estimate; the budget for it is " + std::to_string(b.code));
  const auto room = b.context - b.reply - out.tokens;
  const std::array<std::pair<prompt_part*, int64_t*>, 5> giving{{{&parts.documents, &b.documents},
                                                                 {&parts.history, &b.history},
                                                                 {&parts.report, &b.report},
                                                                 {&parts.fastest, &b.fastest},
                                                                 {&parts.combine, &b.combine}}};
  for (const auto& [part, budget] : giving) {
    const auto over = total(parts) - room;
    if (over <= 0)
      break;
    *budget = std::max<int64_t>(0, part->tokens - over); // at least: parts are cut by whole items
    parts = make_parts(facts, b);
  }
  if (const auto over = total(parts) - room; over > 0)
    return fail(errc::bad_input, "task and current code need " + std::to_string(over)
                                     + " tokens by estimate more than a context of " + std::to_string(b.context)
                                     + " has beside a reply of " + std::to_string(b.reply));
  for (auto& p : stable)
    out.parts.push_back(std::move(p));
  for (auto* p : parts.in_order()) {
    out.user += p->text;
    out.tokens += p->tokens;
    out.parts.push_back(std::move(*p));
  }
  out.rules = rules_for(facts);
  return out;
}

} // namespace kevolve::synthesis
