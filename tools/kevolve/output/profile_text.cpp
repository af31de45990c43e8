#include "tools/kevolve/output/profile_text.hpp"

#include "tools/kevolve/output/campaign_text.hpp"
#include "tools/kevolve/output/terminal.hpp"

#include <fmt/core.h>

namespace kevolve {

namespace {

std::string percent(double share) {
  return fmt::format("{:.0f} %", share * 100.0);
}

std::string lines_text(const json& lines) {
  std::string out;
  for (const auto& l : lines) {
    const auto first = l.value("first", 0U);
    const auto last = l.value("last", 0U);
    out += (out.empty() ? "" : ", ")
           + (first == last ? fmt::format("line {}", first) : fmt::format("lines {} to {}", first, last));
  }
  return out;
}

std::string skipped_line(const json& p) {
  const auto remedy = text_at(p, "remedy");
  return "  " + text_at(p, "name") + ": " + text_at(p, "reason") + (remedy.empty() ? "" : "; " + remedy) + "\n";
}

void add_findings(const json& findings, std::string& out) {
  size_t number = 0;
  for (const auto& f : findings) {
    const auto lines = lines_text(f.value("lines", json::array()));
    out += fmt::format("  {}. {}{}: {} of the call, confidence {}{}\n", ++number, text_at(f, "title"),
                       lines.empty() ? "" : ", " + lines, percent(number_at(f, "share")),
                       percent(number_at(f, "confidence")),
                       f.contains("headroom") && f["headroom"].is_number()
                           ? fmt::format(", {:.3g}x without it", number_at(f, "headroom"))
                           : "");
    out += "     " + text_at(f, "words") + " (" + text_at(f, "pass") + ")\n     next: " + text_at(f, "strategy") + "\n";
  }
}

void add_loops(const json& loops, std::string& out) {
  constexpr size_t most = 12;
  std::vector<std::vector<std::string>> rows{{"  LOOP", "TIME", "SHARE", "ENTRIES", "TRIPS", "LANES"}};
  for (const auto& l : loops) {
    if (rows.size() > most)
      break;
    const auto figure = [&](const char* name) {
      return l[name].is_number() ? fmt::format("{:.4g}", l[name].get<double>()) : std::string{"-"};
    };
    rows.push_back({fmt::format("  line {}", l.value("line", 0)),
                    l["self_ns"].is_number() ? human_ns(number_at(l, "self_ns")) : "-",
                    l["share"].is_number() ? percent(number_at(l, "share")) : "-", figure("entries"), figure("trips"),
                    figure("vector_lanes")});
  }
  if (rows.size() > 1)
    out += "\nloops, time without the loops inside\n" + table_text(rows);
}

void add_kernels(const json& kernels, std::string& out) {
  constexpr size_t most = 12;
  std::vector<std::vector<std::string>> rows{
      {"  KERNEL", "LAUNCHES", "TIME", "SHARE", "REGISTERS", "OCCUPANCY", "LIMIT"}};
  for (const auto& k : kernels) {
    if (rows.size() > most)
      break;
    const auto share = [&](const char* name) {
      return k[name].is_number() ? percent(number_at(k, name)) : std::string{"-"};
    };
    rows.push_back({"  " + text_at(k, "kernel"), std::to_string(k.value("launches", 0)),
                    k["ns"].is_number() ? human_ns(number_at(k, "ns")) : "-", share("share"),
                    k["registers"].is_number() ? fmt::format("{:.0f}", number_at(k, "registers")) : "-",
                    share("occupancy"), k["limit"].is_string() ? text_at(k, "limit") : "-"});
  }
  if (rows.size() > 1)
    out += "\nkernels of the device\n" + table_text(rows);
}

} // namespace

std::string diagnosis_text(const json& d) {
  if (!d.is_object())
    return {};
  std::string out;
  if (d["bound"].is_object() && text_at(d["bound"], "class") != "unknown")
    out += fmt::format("bound by {} (confidence {})\n", text_at(d["bound"], "title"),
                       percent(number_at(d["bound"], "confidence")));
  else
    out += "no pass could name what bounds it\n";
  if (d["roof"].is_object())
    out += fmt::format("the roof by {} is {} a call: {:.3g}x faster than this\n", text_at(d["roof"], "by"),
                       human_ns(number_at(d["roof"], "ns")), number_at(d["roof"], "headroom"));
  else
    out += "the roof is unknown\n";
  if (!d["findings"].empty()) {
    out += "\nfindings\n";
    add_findings(d["findings"], out);
  }
  add_loops(d["loops"], out);
  if (d.contains("timed_share") && d["timed_share"].is_number())
    out +=
        fmt::format("  the timed loops add up to {} of the instrumented call\n", percent(number_at(d, "timed_share")));
  if (d.contains("kernels"))
    add_kernels(d["kernels"], out);
  return out;
}

std::string profile_text(const json& p) {
  auto out = fmt::format("candidate {} on {}: {:.2f} s of passes\n", p.value("candidate", 0U), text_at(p, "shape"),
                         number_at(p, "seconds"));
  std::vector<std::vector<std::string>> rows{{"  PASS", "SECONDS", "PERTURBS", "USES", "ARTEFACTS"}};
  std::string skipped;
  for (const auto& x : p["passes"]) {
    if (text_at(x, "state") == "skipped") {
      skipped += skipped_line(x);
      continue;
    }
    std::string made;
    for (const auto& [kind, digest] : x["artefacts"].items())
      made += (made.empty() ? "" : ", ") + kind;
    rows.push_back({"  " + text_at(x, "name"),
                    text_at(x, "state") == "reused" ? "stored" : fmt::format("{:.3f}", number_at(x, "seconds")),
                    x["perturbation"].is_number()          ? fmt::format("+{}", percent(number_at(x, "perturbation")))
                    : x.value("instrumented_build", false) ? "another build"
                                                           : "no",
                    text_at(x, "uses"), made});
  }
  out += table_text(rows);
  if (!skipped.empty())
    out += "skipped\n" + skipped;
  return out + "\n" + diagnosis_text(p["diagnosis"]);
}

std::string plan_text(const json& plan) {
  std::vector<std::vector<std::string>> rows{{"PASS", "ABOUT", "USES", "FOR"}};
  for (const auto& p : plan["passes"])
    rows.push_back({text_at(p, "name"), fmt::format("{:.2f} s", number_at(p, "estimate_s")), text_at(p, "uses"),
                    text_at(p, "summary")});
  auto out = table_text(rows);
  std::string omitted;
  for (const auto& o : plan["omitted"])
    omitted += skipped_line(o);
  return out + (omitted.empty() ? "" : "left out\n" + omitted);
}

} // namespace kevolve
