#include "tools/kevolve/output/explain_text.hpp"

#include "tools/kevolve/output/campaign_text.hpp"
#include "tools/kevolve/output/profile_text.hpp"
#include "tools/kevolve/output/terminal.hpp"

#include <fmt/core.h>

#include <algorithm>

namespace kevolve {

namespace {

void add_unlocking(const json& obstacle, std::string& out) {
  out += "    rewrite: " + text_at(obstacle, "rewrite") + "\n";
  if (const auto assertion = text_at(obstacle, "assertion"); !assertion.empty())
    out += "    or assert: " + assertion + "\n";
  if (obstacle["task_lines"].is_string()) { // text_at() would make one line of them, which is no TOML
    const auto lines = obstacle["task_lines"].get<std::string>();
    out += "    if no two iterations ever meet, add to the task:\n";
    for (size_t at = 0; at < lines.size();) {
      const auto end = std::min(lines.find('\n', at), lines.size());
      out += "      " + printable(lines.substr(at, end - at)) + "\n";
      at = end + 1;
    }
  }
}

void add_loop(const json& l, std::string& out) {
  out += fmt::format("  line {}: {}\n", l.value("line", 0U), text_at(l, "source"));
  const auto& order = l["order"];
  const auto& vectors = l["vectors"];
  if (order.is_null() && vectors.is_null()) {
    out += "    free to be reordered and vectorised\n";
    return;
  }
  if (order.is_object()) {
    out += "    its iterations stay in order: " + text_at(order, "why") + "\n";
    add_unlocking(order, out);
  } else {
    out += "    cannot be vectorised as it stands: " + text_at(vectors, "why") + "\n";
    add_unlocking(vectors, out);
  }
}

std::string name_of(uint64_t candidate) {
  return candidate == 0 ? std::string{"the reference"} : fmt::format("candidate {}", candidate);
}

// Adds the diagnosis of the best, why it names nothing, and what the profiles of other candidates name.
void add_bounds(const json& e, std::string& out) {
  const auto best = e.value("best", uint64_t{0});
  const auto& d = e["diagnosis"];
  out += name_of(best) + (d.is_object() ? " on " + text_at(d, "shape") : "") + ": ";
  out += d.is_object() ? diagnosis_text(d) : "nothing was timed\n";
  if (!e["why_no_bound"].empty()) {
    out += "why nothing is named\n";
    for (const auto& why : e["why_no_bound"])
      out += "  " + printable(why.get<std::string>()) + "\n";
  }
  if (!e.value("profiled", false))
    out += fmt::format("by its figures alone; for more: kevolve profile {} {}\n", text_at(e, "campaign").substr(0, 8),
                       best);
  else if (!e["why_no_bound"].empty())
    out +=
        fmt::format("with more time: kevolve profile {} {} --budget 20s\n", text_at(e, "campaign").substr(0, 8), best);
  const auto& other = e["other_diagnosis"];
  if (other.is_object())
    out += fmt::format("\n{} on {} ({}): ", name_of(other.value("candidate", uint64_t{0})), text_at(other, "shape"),
                       text_at(e["bound"], "relation"))
           + diagnosis_text(other);
  std::string rest;
  for (const auto& p : e["profiles"])
    if (const auto index = p.value("candidate", uint64_t{0});
        index != best && !(other.is_object() && index == other.value("candidate", uint64_t{0})))
      rest += fmt::format("  {} ({}): {}\n", name_of(index), text_at(p, "relation"),
                          text_at(p, "class") == "unknown"
                              ? std::string{"its profile names no bottleneck"}
                              : fmt::format("bound by {} (confidence {:.0f} %)", text_at(p, "title"),
                                            100.0 * number_at(p, "confidence")));
  if (!rest.empty())
    out += "\nprofiles of other candidates\n" + rest;
}

// Adds what would change the bottleneck and the roof. Loops and kept parts stand with their rewrites already.
void add_reasons(const json& e, std::string& out) {
  std::string said;
  for (const auto& r : e["reasons"])
    if (const auto kind = text_at(r, "kind"); kind == "roof" || kind == "bottleneck")
      said += "  " + text_at(r, "words") + "\n    rewrite: " + text_at(r, "rewrite") + "\n";
  if (!said.empty())
    out += "\nwhat would change it\n" + said;
  if (e["nothing_found"].is_string())
    out += "\n" + text_at(e, "nothing_found") + "\n";
}

} // namespace

std::string explanation_text(const json& e) {
  const auto best = e.value("best", 0U);
  auto out = fmt::format(
      "{}: {}\n\n", text_at(e, "task"),
      best == 0 ? std::string{"nothing is faster than the reference"}
                : fmt::format("candidate {} is the best, {}", best, human_speedup(number_at(e, "speedup"))));
  add_bounds(e, out);
  const auto& reference = e["reference"];
  out += "\nloops of the reference\n";
  for (const auto& l : reference["loops"])
    add_loop(l, out);
  if (reference["loops"].empty())
    out += "  none that the embedded generator reads\n";
  if (!reference["kept"].empty()) {
    out += "\nkept word for word\n";
    for (const auto& k : reference["kept"])
      out += (k.value("line", 0U) == 0 ? "  " : fmt::format("  line {}: ", k.value("line", 0U))) + text_at(k, "why")
             + "\n";
  }
  add_reasons(e, out);
  if (!e["tried_without_gain"].empty()) {
    out += "\ntried without gain\n";
    for (const auto& a : e["tried_without_gain"])
      out += fmt::format("  candidate {} from {}: {}: {}{}\n", a.value("candidate", 0U), a.value("parent", 0U),
                         fit_to(text_at(a, "summary"), 90), text_at(a, "outcome"),
                         a["gain"].is_number() ? fmt::format(", {:.3g}x", number_at(a, "gain")) : "");
  }
  return out;
}

} // namespace kevolve
