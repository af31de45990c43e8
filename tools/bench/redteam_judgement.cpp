#include "tools/bench/redteam_judgement.hpp"

#include "backends/judge/native/edges_among_calls.hpp"
#include "runtime/base/verdict_rules.hpp"

#include <algorithm>
#include <sstream>

namespace kevolve::redteam {

namespace {

bool contains(const std::vector<std::string>& words, const std::string& word) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

// Returns true if the text "EDGE 3 17 22" names that edge and a call of the window.
bool meets(const std::string& text, const error_window& w) {
  std::istringstream words{text};
  std::string edge;
  words >> edge;
  if (edge != w.edge)
    return false;
  for (size_t call = 0; words >> call;)
    if (call >= w.first && call <= w.last)
      return true;
  return false;
}

} // namespace

bool met_in_window(const error_window& w, const judge_outcome& o) {
  const auto noted = o.evidence.find(edge_calls_key(w.shape));
  if (noted == o.evidence.end())
    return false;
  std::istringstream texts{noted->second};
  for (std::string text; std::getline(texts, text, ';');)
    if (meets(text, w))
      return true;
  return false;
}

result<judgement> judge_exhibit(const exhibit& e, const std::string& variant, judge_request request,
                                const std::function<result<judge_outcome>(const judge_request&)>& ask) {
  constexpr int most_repeats = 20;
  judgement out;
  for (;; ++out.repeated) {
    auto o = ask(request);
    if (!o)
      return tl::unexpected<failure>(o.error());
    out.outcome = std::move(*o);
    const bool passed = !out.outcome.trouble && out.outcome.result == verdict::pass;
    if (e.honest || e.gainless || request.mode != judge_mode::screening || !passed)
      return out;
    if (out.outcome.decision == comparison_decision::faster || out.repeated == most_repeats)
      break;
  }
  const auto window = e.windows.find(variant);
  const bool looked_closely = out.outcome.decision == comparison_decision::faster;
  if (window == e.windows.end() || !looked_closely || met_in_window(window->second, out.outcome))
    return out;
  out.left_to_confirmation = true;
  if (const auto noted = out.outcome.evidence.find(edge_calls_key(window->second.shape));
      noted != out.outcome.evidence.end())
    out.edge_calls = noted->second;
  request.mode = judge_mode::confirm;
  auto o = ask(request);
  if (!o)
    return tl::unexpected<failure>(o.error());
  out.outcome = std::move(*o);
  return out;
}

std::string summary(const judge_outcome& o) {
  if (o.trouble)
    return "fault: " + o.trouble.kind + ": " + o.trouble.detail;
  if (o.result != verdict::pass)
    return "refused: " + to_string(o.result) + "/" + o.rule;
  return o.decision == comparison_decision::faster ? "gained" : "passed";
}

std::string objection(const exhibit& e, const judge_outcome& o) {
  auto got = summary(o) + (o.detail.empty() ? "" : " (" + o.detail + ")");
  if (o.trouble)
    return got;
  if (o.result == verdict::pass) {
    if (e.honest)
      return {};
    if (!e.gainless)
      return got + ", where a refusal was due";
    return o.decision == comparison_decision::faster ? got + ": " + std::to_string(o.speedup) + " times"
                                                     : std::string{};
  }
  if (e.honest)
    return got + ", and is honest";
  if (o.rule.empty() || o.detail.empty() || o.evidence.empty())
    return got + " without rule, detail or evidence";
  if (const auto* rule = find_verdict_rule(o.rule); rule == nullptr || rule->result != o.result)
    return got + ", by a rule that the table of verdict rules does not have for this verdict";
  if (e.gainless)
    return got + ", where it may pass: say so in the fixture";
  if (!contains(e.verdicts, to_string(o.result)) || (!e.rules.empty() && !contains(e.rules, o.rule)))
    return got + ", where another refusal was due";
  return {};
}

} // namespace kevolve::redteam
