#include "tools/kevolve/output/skill_text.hpp"

#include "tools/kevolve/output/campaign_text.hpp"
#include "tools/kevolve/output/terminal.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

namespace kevolve {

namespace {

std::string short_id(const json& x, const char* key) {
  return text_at(x, key).substr(0, 8);
}

std::string joined(const json& x, const char* key) {
  std::string out;
  for (const auto& item : x[key])
    out += (out.empty() ? "" : ", ") + printable(item.get<std::string>());
  return out;
}

// Returns "1.25x [1.20, 1.31]"; the verdict of a candidate that did not pass.
std::string gain_text(const json& x) {
  if (!x["gain"].is_number())
    return text_at(x, "verdict");
  return fmt::format("{:.2f}x {}", number_at(x, "gain"), interval_text(x));
}

std::string step_text(const json& skill) {
  const auto& step = skill["step"];
  const auto words = text_at(step, "words");
  return words.empty() ? text_at(step, "moves") : words;
}

std::string fact(const char* name, const std::string& value) {
  return value.empty() ? std::string{} : fmt::format("  {:<12}{}\n", name, value);
}

std::string head_text(const json& s) {
  return fmt::format("{}: {}\n", text_at(s, "id"), step_text(s))
         + fact("state", text_at(s, "state") + (text_at(s, "reason").empty() ? "" : ": " + text_at(s, "reason")));
}

// Returns the bottleneck with the candidate whose profile named it: the one that the step was made from.
std::string bound_text(const json& s) {
  const auto bound = text_at(s["conditions"], "bound");
  const auto parent = s["provenance"]["parent"].get<uint64_t>();
  return bound.empty() ? bound
                       : fmt::format("{}, by the profile of {}", bound,
                                     parent == 0 ? "the reference" : "candidate " + std::to_string(parent));
}

std::string conditions_text(const json& s) {
  const auto& c = s["conditions"];
  return fact("target", text_at(c, "target")) + fact("language", text_at(c, "language"))
         + fact("families", joined(c, "families")) + fact("dtypes", joined(c, "dtypes"))
         + fact("hardware", joined(c, "hardware")) + fact("bound", bound_text(s))
         + fact("pattern", text_at(c, "pattern")) + fact("not for", joined(s, "not_for"));
}

std::string share_text(double share) {
  return fmt::format("{:.0f} %", 100.0 * share);
}

std::string applications_text(const json& s) {
  std::vector<std::vector<std::string>> rows{
      {"CANDIDATE", "PARENT", "TASK", "GAIN", "SHARE", "WHEN", "HARDWARE", "NOTE"}};
  for (const auto& a : s["applications"]) {
    const bool is_source =
        a["campaign"] == s["provenance"]["campaign"] && a["candidate"] == s["provenance"]["candidate"];
    const auto* note = !a["origin"].get<bool>() ? ""
                       : is_source              ? "the skill comes from it"
                                                : "imported, not measured here";
    rows.push_back({short_id(a, "campaign") + " " + to_text(a["candidate"]), to_text(a["parent"]), text_at(a, "task"),
                    gain_text(a), share_text(number_at(a, "share")), text_at(a, "time").substr(0, 10),
                    joined(a, "hardware"), note});
  }
  return rows.size() == 1 ? "no application was measured\n" : table_text(rows);
}

// Returns "the mean log gain 0.1203 …, halved …, divided by 2 …".
std::string weighing_text(const json& s) {
  const auto& w = s["weighing"];
  const auto contradictions = w["contradictions"].get<uint64_t>();
  auto out = fmt::format("{:.3f}: the mean of the log gains is {:.3f} by the shares above, {} of the prior at 0",
                         number_at(s, "weight"), number_at(w, "mean"), share_text(number_at(w, "prior_share")));
  if (contradictions > 0)
    out += fmt::format("; divided by {}, as {} beyond noise", contradictions + 1,
                       contradictions == 1 ? "one was slower" : std::to_string(contradictions) + " were slower");
  if (w["halved"].get<bool>())
    out += "; halved, as it is a hypothesis";
  const auto state = text_at(s, "state");
  if (state == "rejected" || state == "revoked")
    out += "; 0, as it is " + state;
  return out;
}

std::string history_text(const json& s) {
  std::vector<std::vector<std::string>> rows{{"VERSION", "WHEN", "STATE", "BY", "WHY"}};
  for (const auto& h : s["history"])
    rows.push_back({to_text(h["version"]), text_at(h, "time").substr(0, 19), text_at(h, "state"), text_at(h, "by"),
                    text_at(h, "reason")});
  return rows.size() == 1 ? std::string{} : "\n" + table_text(rows);
}

std::string provenance_text(const json& s) {
  const auto& p = s["provenance"];
  const auto parent = p["parent"].get<uint64_t>();
  return fact("from", fmt::format("{} to candidate {} of campaign {} ({}), task {}",
                                  parent == 0 ? "the reference" : "candidate " + std::to_string(parent),
                                  p["candidate"].get<uint64_t>(), short_id(p, "campaign"), text_at(p, "campaign_name"),
                                  text_at(p, "task")))
         + fact("by", text_at(p, "by"));
}

// Returns what tells a skill apart from others with the same step, beyond what the table shows anyhow.
std::vector<std::string> traits_of(const json& skill) {
  const auto& c = skill["conditions"];
  std::vector<std::string> out;
  const auto add = [&out](const std::string& name, const std::string& value) {
    if (!value.empty())
      out.push_back(name + value);
  };
  const auto pattern = text_at(c, "pattern");
  for (size_t from = 0; from < pattern.size();) { // "scalar; _1: innermost independent"
    const auto end = std::min(pattern.find("; ", from), pattern.size());
    add("", pattern.substr(from, end - from));
    from = end + 2;
  }
  add("language ", text_at(c, "language"));
  add("dtypes ", joined(c, "dtypes"));
  add("hardware ", joined(c, "hardware"));
  add("bound ", text_at(c, "bound"));
  add("not for ", joined(skill, "not_for"));
  if (!text_at(skill["step"], "words").empty())
    add("", text_at(skill["step"], "moves"));
  return out;
}

// Returns for each skill of a list the traits that not every skill with the same step and families has. Where all have
// the same: the task that it comes from.
std::vector<std::string> differences_of(const json& items) {
  std::map<std::pair<std::string, std::string>, std::vector<size_t>> alike;
  for (size_t i = 0; i < items.size(); ++i)
    alike[{step_text(items[i]), joined(items[i]["conditions"], "families")}].push_back(i);
  std::vector<std::string> out(items.size());
  for (const auto& [step, places] : alike) {
    if (places.size() == 1)
      continue;
    std::map<std::string, size_t> had;
    for (const auto i : places)
      for (const auto& t : traits_of(items[i]))
        ++had[t];
    for (const auto i : places) {
      for (const auto& t : traits_of(items[i]))
        if (had[t] < places.size())
          out[i] += (out[i].empty() ? "" : "; ") + t;
      if (out[i].empty())
        out[i] = "from " + text_at(items[i]["provenance"], "task");
    }
  }
  return out;
}

std::string code_text(const json& step, const char* name) {
  const auto text = lines_of(step, name);
  return text.empty() ? std::string{} : fmt::format("\n{}:\n{}", name, text);
}

} // namespace

std::string skills_table(const json& list) {
  if (list["items"].empty())
    return "no skill: a campaign distils them from its confirmed gains, and kevolve skills import takes those of "
           "another "
           "node\n";
  std::vector<std::vector<std::string>> rows{
      {"SKILL", "STATE", "WEIGHT", "GAIN", "PASSED", "TARGET", "FAMILIES", "STEP"}};
  const auto differences = differences_of(list["items"]);
  if (std::any_of(differences.begin(), differences.end(), [](const auto& d) { return !d.empty(); }))
    rows.front().emplace_back("WHERE");
  for (size_t i = 0; i < differences.size(); ++i) {
    const auto& s = list["items"][i];
    const auto& brought = s["brought"];
    rows.push_back({short_id(s, "id"), text_at(s, "state"), fmt::format("{:.3f}", number_at(s, "weight")), gain_text(s),
                    to_text(brought["valid"]) + " of " + to_text(brought["applications"]),
                    text_at(s["conditions"], "target"), joined(s["conditions"], "families"), fit_to(step_text(s), 60)});
    if (rows.front().size() > rows.back().size())
      rows.back().push_back(fit_to(differences[i], 70));
  }
  return table_text(rows);
}

std::string skill_text(const json& s) {
  return head_text(s) + conditions_text(s) + fact("moves", text_at(s["step"], "moves")) + fact("gain", gain_text(s))
         + fact("weight", fmt::format("{:.3f}", number_at(s, "weight"))) + provenance_text(s)
         + code_text(s["step"], "before") + code_text(s["step"], "after");
}

std::string skill_reasons_text(const json& s) {
  return head_text(s) + "\nIt applies where these hold:\n" + conditions_text(s) + "\nIt was applied and measured:\n"
         + applications_text(s) + "\nIts weight follows from these:\n" + fact("gain", gain_text(s))
         + fact("weight", weighing_text(s)) + "\nIt comes from:\n" + provenance_text(s) + history_text(s);
}

std::string given_skills_text(const json& candidate) {
  std::string out;
  for (const auto& s : candidate.value("skills", json::array()))
    out += fact("skill", fmt::format("{}: {}, {}{}", short_id(s, "id"), fit_to(step_text(s), 60), text_at(s, "state"),
                                     s["applied"].get<bool>() ? ", applied" : ""));
  return out;
}

std::string skill_import_text(const json& done) {
  std::string out;
  for (const auto& line : done["refused"])
    out += "refused " + printable(line.get<std::string>()) + "\n";
  return out
         + fmt::format("{} as hypotheses, {} known already, {} refused\n",
                       human_number(done["taken"].get<uint64_t>(), "skill") + " taken", done["known"].get<uint64_t>(),
                       done["refused"].size());
}

} // namespace kevolve
