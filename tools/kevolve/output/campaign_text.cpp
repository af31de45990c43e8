#include "tools/kevolve/output/campaign_text.hpp"

#include "actors/campaign/campaign_states.hpp"
#include "backends/protocol.hpp"
#include "tools/kevolve/exit_codes.hpp"
#include "tools/kevolve/output/terminal.hpp"

#include <fmt/core.h>

namespace kevolve {

namespace {

// A campaign that prepares again after some candidates.
constexpr const char* resuming = "resuming";

std::string of_budget(const json& budget, const char* key, std::string (*human)(double)) {
  auto i = budget.find(key);
  return i != budget.end() && i->is_number() ? " of " + human(i->get<double>()) : std::string{};
}

std::string plain(double x) {
  return fmt::format("{}", x);
}

std::string models_text(const json& spent, const json& budget) {
  auto out = fmt::format("{}, {} tokens{}, ", human_number(spent["calls"].get<size_t>(), "call"),
                         spent["tokens"].get<int64_t>(), of_budget(budget, "tokens", human_count));
  if (spent["cost"].is_null())
    return out + "cost unknown";
  out += fmt::format("{:.4f}{} {}", spent["cost"].get<double>(), of_budget(budget, "cost", plain),
                     text_at(spent, "currency"));
  const auto unpriced = spent["unpriced_calls"].get<size_t>();
  return unpriced == 0 ? out : out + fmt::format(", {} without a price", human_number(unpriced, "call"));
}

std::string indices(const json& xs) {
  std::string out;
  for (const auto& x : xs)
    out += (out.empty() ? "" : ", ") + std::to_string(x.get<uint64_t>());
  return out;
}

std::string kernel_text(const json& k) {
  std::string mix;
  if (const auto all = k.find("mix"); all != k.end() && all->is_object())
    for (const auto& [kind, n] : all->items())
      mix +=
          fmt::format("{} {} {:.0f}", mix.empty() ? ":" : ",", printable(kind), n.is_number() ? n.get<double>() : 0.0);
  auto out = fmt::format("  {}: {:.0f} instructions{}; {:.0f} registers, {:.0f} bytes of static shared memory",
                         text_at(k, "kernel"), number_at(k, "instructions"), mix, number_at(k, "registers"),
                         number_at(k, "static_shared"));
  if (k.contains("wide_load_share"))
    out += fmt::format(", {:.0f} % of global loads take 128 bits", 100.0 * number_at(k, "wide_load_share"));
  return out + "\n";
}

} // namespace

std::string text_at(const json& x, const char* key) {
  auto i = x.find(key);
  return i == x.end() || !i->is_string() ? std::string{} : printable(i->get<std::string>());
}

uint64_t candidate_at(const json& x) {
  return static_cast<uint64_t>(number_at(x, x.contains("candidate") ? "candidate" : "node"));
}

bool is_champion_change(const std::string& kind) {
  return kind == "champion_changed" || kind == "champion_crowned";
}

double number_at(const json& x, const char* key) {
  auto i = x.find(key);
  return i == x.end() || !i->is_number() ? 0.0 : i->get<double>();
}

std::string figure_text(const json& n) {
  return (n.value("estimate", false) ? "~" : "") + human_speedup(number_at(n, "speedup"));
}

std::string reused_text(const json& x) {
  const auto owner = x.find("reused_from");
  if (owner == x.end() || !owner->is_object())
    return {};
  const auto index = candidate_at(*owner);
  return "reused from campaign " + text_at(*owner, "campaign").substr(0, 8)
         + (index == 0 ? std::string{} : ", candidate " + std::to_string(index));
}

std::string source_text(const json& n) {
  const auto source = n.find("source");
  const auto p = n.find("proposal");
  const bool had_one = p != n.end() && !text_at(*p, "source_sha256").empty();
  if (had_one && (source == n.end() || source->is_null()))
    return "source: lost (not in the store)\n";
  return lines_of(n, "source");
}

std::string stage_text(const std::string& stage) {
  if (stage == "race")
    return "screening";
  if (stage == "confirm")
    return "confirmation";
  return stage == "final" ? "final confirmation" : stage;
}

std::string interval_text(const json& x) {
  auto i = x.find(x.contains("interval") ? "interval" : "ci95"); // its name in nodes of before
  if (i == x.end() || !i->is_array() || i->size() != 2 || !(*i)[0].is_number() || !(*i)[1].is_number())
    return {};
  const auto coverage = number_at(x, "coverage");
  return fmt::format("[{:.2f}, {:.2f}]", (*i)[0].get<double>(), (*i)[1].get<double>())
         + (coverage > 0.0 && coverage < 0.95 ? fmt::format(" ({:.3g} %)", 100.0 * coverage) : "");
}

std::string sanitised_text(const json& evidence, const std::string& before) {
  std::string out;
  if (evidence.contains(sanitised_evidence))
    out += before + "sanitised replay, without a finding: " + text_at(evidence, sanitised_evidence) + "\n";
  if (evidence.contains(sanitised_note_evidence))
    out += before + "sanitised replay: " + text_at(evidence, sanitised_note_evidence) + "\n";
  if (evidence.contains(unsanitised_evidence))
    out += before + "unsanitised: " + text_at(evidence, unsanitised_evidence) + "\n";
  return out;
}

std::string machine_code_text(const json& evidence) {
  const auto said = evidence.find("sass");
  if (said == evidence.end() || !said->is_string())
    return {};
  const auto kernels = json::parse(said->get<std::string>(), nullptr, false);
  std::string out = "\nmachine code:\n";
  if (!kernels.is_array())
    return out + "  " + text_at(evidence, "sass") + "\n";
  for (const auto& k : kernels)
    if (k.is_object())
      out += kernel_text(k);
  const auto notes = text_at(evidence, "sass.notes");
  return notes.empty() ? out : out + "  " + notes + "\n";
}

std::string percent_encoded(const std::string& text) {
  std::string out;
  for (auto c : text)
    if ((c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'))
      out += c;
    else
      out += fmt::format("%{:02X}", static_cast<unsigned char>(c));
  return out;
}

std::string state_text(const std::string& state, const std::string& stop_reason, uint64_t candidates) {
  if (state == to_string(campaign_phase::preparing) && candidates > 0)
    return resuming;
  const bool cancelled =
      state == to_string(campaign_phase::finished) && stop_reason == to_string(end_reason::cancelled);
  return cancelled ? cancelled_state : state;
}

const std::vector<std::string>& shown_states() {
  static const auto all = [] {
    std::vector<std::string> out{campaign_state_texts.begin(), campaign_state_texts.end()};
    out.emplace_back(resuming);
    return out;
  }();
  return all;
}

std::string stored_state(const std::string& shown) {
  return shown == resuming          ? to_string(campaign_phase::preparing)
         : shown == cancelled_state ? to_string(campaign_phase::finished)
                                    : shown;
}

std::string known_note(const json& s, uint32_t priority) {
  if (!s.value("known", false))
    return {};
  const auto id = text_at(s, "id").substr(0, 8);
  const auto why = text_at(s, "stop_reason");
  if (has_ended(s)) {
    const auto state = state_text(s);
    auto out =
        "known already, and " + state + (why.empty() || why == state ? "" : " (" + why + ")") + ": nothing runs; ";
    if (why == "budget")
      return out + fmt::format("'kevolve budget {0}' and then 'kevolve resume {0}' let it go on", id);
    if (why == "target")
      return out + "with a higher target (--set stop.speedup=...) it is a new campaign";
    return out + "with other settings, such as --set seed=..., it is a new campaign";
  }
  const auto now = static_cast<uint32_t>(number_at(s, "priority"));
  if (priority == 0 || priority == now)
    return {};
  return fmt::format("known already: priority stays {}; 'kevolve priority {} {}' changes it", now, id, priority);
}

std::string state_text(const json& s) {
  return state_text(text_at(s, "state"), text_at(s, "stop_reason"), static_cast<uint64_t>(number_at(s, "candidates")));
}

std::string lines_of(const json& x, const char* key) {
  auto i = x.find(key);
  if (i == x.end() || !i->is_string())
    return {};
  std::string out;
  const auto& all = i->get_ref<const std::string&>();
  for (size_t from = 0; from < all.size();) {
    auto end = std::min(all.find('\n', from), all.size());
    out += printable(std::string_view{all}.substr(from, end - from)) + "\n";
    from = end + 1;
  }
  return out;
}

std::vector<std::string> baseline_lines(const json& best) {
  std::vector<std::string> out;
  const auto all = best.find("baselines");
  if (all == best.end() || !all->is_array())
    return out;
  for (const auto& x : *all) {
    const auto note = text_at(x, "note");
    if (number_at(x, "speedup") > 0.0)
      out.push_back(fmt::format("{}: {} {}, {}{}", text_at(x, "name"), human_speedup(number_at(x, "speedup")),
                                interval_text(x), human_ns(number_at(x, "time_ns")), note.empty() ? "" : "; " + note));
    else
      out.push_back(text_at(x, "name") + ": not timed" + (note.empty() ? "" : ": " + note));
  }
  return out;
}

std::string disturbed_text(const std::string& why) {
  return "  an estimate: the machine was disturbed each time it was measured (" + printable(why) + ")\n";
}

namespace {

// Describes the search: its phase, its islands and what their cells hold.
std::string search_text(const json& s) {
  const auto found = s.find("search");
  if (found == s.end() || !found->is_object())
    return {};
  std::string out;
  if (const auto phase = text_at(*found, "phase"); !phase.empty())
    out += fmt::format("  search      {}; {} since the last gain\n",
                       phase == "broaden" ? "broad, until something gains" : "exploits the fittest",
                       human_number((*found)["since_gain"].get<uint64_t>(), "candidate"));
  for (const auto& i : (*found)["islands"]) {
    const auto& population = i["population"];
    out += fmt::format(
        "  island {:<5}{} begun{}, {}\n", i["island"].get<uint64_t>(),
        human_number(i["begun"].get<uint64_t>(), "candidate"),
        i["began_with"].is_number() ? fmt::format(" (anew with {})", i["began_with"].get<uint64_t>()) : "",
        population.empty() ? "no population yet"
                           : fmt::format("a population of {}, best {} candidate {}", population.size(),
                                         human_speedup(number_at(i, "speedup")), population.front().get<uint64_t>()));
    for (const auto& c : i["cells"])
      out += fmt::format("              {} candidate {} of {}: {}\n", human_speedup(number_at(c, "speedup")),
                         c["best"].get<uint64_t>(), c["candidates"].get<uint64_t>(), text_at(c, "behaviour"));
  }
  return out;
}

// Describes the generators where there are several, and how many proposals repeated a known candidate.
std::string generators_text(const json& s) {
  std::string out;
  const auto found = s.find("generators");
  if (found == s.end() || !found->is_array())
    return out;
  if (const auto repeated = s.value("repeated", uint64_t{0}); repeated != 0)
    out += fmt::format("  repeated    {} of a known candidate, not measured\n", human_number(repeated, "proposal"));
  for (const auto& g : *found)
    if (found->size() > 1)
      out += fmt::format("  generator   {}: {}, {:.0f} % (weight {:g}){}\n", text_at(g, "kind"),
                         human_number(g["steps"].get<uint64_t>(), "step"), 100.0 * number_at(g, "share"),
                         number_at(g, "weight"),
                         g["score"].is_number() ? fmt::format(", score {:.3g}", number_at(g, "score")) : "");
  return out;
}

// Describes what the campaign has spent on profiles of its own candidates, and what bounds these.
std::string profiling_text(const json& s) {
  const auto found = s.find("profiling");
  if (found == s.end() || !found->is_object())
    return {};
  const auto& p = *found;
  const auto profiles = p.value("profiles", uint64_t{0});
  const auto failed = p.value("failed", uint64_t{0});
  if (profiles + failed == 0)
    return {};
  auto out =
      fmt::format("  profiles    {} in {}, at most {:.0f} % of the time allowed", human_number(profiles, "candidate"),
                  human_duration(number_at(p, "seconds")), 100.0 * number_at(p, "share"));
  if (p["perturbation"].is_number())
    out += fmt::format(", calls slowed by up to {:.0f} %", 100.0 * number_at(p, "perturbation"));
  std::string bounds;
  for (const auto& [bound, count] : p["bounds"].items())
    bounds += (bounds.empty() ? "; bound by " : ", ") + bound + " " + std::to_string(count.get<uint64_t>());
  out += bounds + "\n";
  if (failed > 0)
    out += fmt::format("              {} failed, the last: {}\n", failed, text_at(p, "last_failure"));
  return out;
}

} // namespace

std::string status_text(const json& s) {
  const auto state = state_text(s);
  std::string out = fmt::format("{}  {}  {}", text_at(s, "id"), text_at(s, "name"), state);
  if (auto why = text_at(s, "stop_reason"); !why.empty() && why != state)
    out += " (" + why + ")";
  if (const auto& b = s["best"]; b.is_object() && !text_at(b, "baseline_headline").empty())
    out += "  " + text_at(b, "baseline_headline");
  out += "\n";
  if (auto why = text_at(s, "reason"); !why.empty())
    out += "  reason      " + why + "\n";
  const auto& spent = s["spent"];
  const auto& budget = s["budget"];
  out += fmt::format("  candidates  {}{}, {} valid, {} in flight\n", s["candidates"].get<uint64_t>(),
                     of_budget(budget, "candidates", human_count), s["valid"].get<uint64_t>(),
                     s["in_flight"].get<uint64_t>());
  out += fmt::format("  spent       {} wall{}, {} compiling, {} on the device{}\n",
                     human_duration(number_at(spent, "wall_s")), of_budget(budget, "wall_s", human_duration),
                     human_duration(number_at(spent, "compile_s")), human_duration(number_at(spent, "device_s")),
                     of_budget(budget, "device_s", human_duration));
  if (auto m = spent.find("models"); m != spent.end() && (*m)["calls"].get<uint64_t>() > 0)
    out += "  models      " + models_text(*m, budget) + "\n";
  if (const auto& b = s["best"]; b.is_object()) {
    out += fmt::format("  best        {} {} candidate {}{}\n", human_speedup(number_at(b, "speedup")), interval_text(b),
                       candidate_at(b), b["final"].get<bool>() ? ", confirmed against the reference" : "");
    for (const auto& line : baseline_lines(b))
      out += "              " + line + "\n";
    out += "              " + text_at(b, "summary") + "\n";
    if (const auto reused = reused_text(b); !reused.empty())
      out += "              its figures are " + reused + "; a campaign with --fresh measures anew\n";
  } else
    out += std::string{"  best        "} + (has_ended(s) ? "none" : "none yet") + "\n";
  out += search_text(s);
  out += generators_text(s);
  out += profiling_text(s);
  if (s.contains("priority"))
    out += fmt::format("  priority    {}\n", s["priority"].get<uint64_t>());
  if (auto o = s.find("origin"); o != s.end() && o->is_object())
    out += fmt::format("  forked from candidate {} of {}\n", candidate_at(*o), text_at(*o, "campaign").substr(0, 8));
  for (const auto* key : {"pinned", "banned"})
    if (auto i = s.find(key); i != s.end() && !i->empty())
      out += fmt::format("  {:<12}{}\n", key, indices(*i));
  if (has_ended(s) && s["valid"].get<uint64_t>() == 0 && s["candidates"].get<uint64_t>() > 0)
    out += "  what became of each candidate: kevolve tree " + text_at(s, "id").substr(0, 8) + "\n";
  return out;
}

std::string status_line(const json& s) {
  const auto& budget = s["budget"];
  auto out = fmt::format("[{}{}] {}: {} candidates{}, {} valid, {} in flight",
                         human_duration(number_at(s["spent"], "wall_s")), of_budget(budget, "wall_s", human_duration),
                         state_text(s), s["candidates"].get<uint64_t>(), of_budget(budget, "candidates", human_count),
                         s["valid"].get<uint64_t>(), s["in_flight"].get<uint64_t>());
  if (const auto& b = s["best"]; b.is_object())
    out += (text_at(b, "baseline_headline").empty() ? "" : "; " + text_at(b, "baseline_headline"))
           + fmt::format("; best {} {} candidate {}: {}", human_speedup(number_at(b, "speedup")), interval_text(b),
                         candidate_at(b), text_at(b, "summary"))
           + (reused_text(b).empty() ? "" : " (" + reused_text(b) + ")");
  if (auto why = text_at(s, "reason"); !why.empty())
    out += "; " + why;
  return out;
}

bool has_ended(const json& s) {
  const auto state = text_at(s, "state");
  return has_ended(std::string_view{state});
}

int exit_code_of(const json& s) {
  const auto& b = s["best"];
  if (text_at(s, "state") == to_string(campaign_phase::finished) && b.is_object() && b["final"].get<bool>())
    return exit_code::ok;
  return text_at(s, "stop_reason") == "budget" && s["valid"].get<uint64_t>() == 0 ? exit_code::nothing_in_budget
                                                                                  : exit_code::failed;
}

} // namespace kevolve
