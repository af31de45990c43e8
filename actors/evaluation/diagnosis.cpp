#include "actors/evaluation/diagnosis.hpp"

#include "backends/nvidia/profile/device_facts.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>

namespace kevolve {

namespace {

using nlohmann::json;

constexpr size_t most_loops = 200;
constexpr double least_shown_share = 0.005; // a finding that rounds to 0 % explains nothing

json parsed(const artefacts& have, artefact_kind k) {
  const auto found = have.find(k);
  return found == have.end() ? json(nullptr) : json::parse(found->second, nullptr, false);
}

double number_in(const json& o, const char* name, double fallback = 0.0) {
  const auto found = o.is_object() ? o.find(name) : o.end();
  return o.is_object() && found != o.end() && found->is_number() && std::isfinite(found->get<double>())
             ? found->get<double>()
             : fallback;
}

std::string text_in(const json& o, const char* name) {
  const auto found = o.is_object() ? o.find(name) : o.end();
  return o.is_object() && found != o.end() && found->is_string() ? found->get<std::string>() : std::string{};
}

json or_null(double x) {
  return x > 0.0 ? json(x) : json(nullptr);
}

int64_t whole(double x) {
  return std::abs(x) < 9e15 ? static_cast<int64_t>(x) : 0;
}

// Returns the time of the outermost loops together.
double outer_ns(const json& loops) {
  double out = 0.0;
  for (const auto& l : loops.is_array() ? loops : json::array())
    if (number_in(l, "parent", -1.0) < 0.0)
      out += std::max(0.0, number_in(l, "ns"));
  return out;
}

// Returns the part of the instrumented call that the timed loops add up to, each without the loops inside; null if no
// loop was timed. Lines do not matter here: loops of included files take time, too.
json timed_share_of(const json& artefact) {
  const auto call_ns = number_in(artefact, "probed_call_ns");
  const auto listed = artefact.is_object() ? artefact.value("loops", json::array()) : json::array();
  double sum_ns = 0.0;
  for (const auto& l : listed.is_array() ? listed : json::array())
    if (number_in(l, "ns") > 0.0)
      sum_ns += std::max(0.0, number_in(l, "self_ns", number_in(l, "ns")));
  return call_ns > 0.0 && sum_ns > 0.0 ? json(sum_ns / call_ns) : json(nullptr);
}

// Reads the loops; those of no line in the source are left out, and a parent must come before its loop.
json loops_of(const json& artefact, double call_ns, uint32_t lines) {
  auto out = json::array();
  const auto listed = artefact.is_object() ? artefact.value("loops", json::array()) : json::array();
  if (!listed.is_array())
    return out;
  // On a busy machine the timed run of the loops may be slower than the call that was timed before.
  const auto whole_ns = std::max(call_ns, outer_ns(listed));
  std::vector<int64_t> place; // of each listed loop in `out`; -1: left out
  for (const auto& l : listed) {
    const auto line = number_in(l, "line");
    if (out.size() >= most_loops || line < 1.0 || line > lines) {
      place.push_back(-1);
      continue;
    }
    const auto above = whole(number_in(l, "parent", -1.0));
    const auto known = above >= 0 && above < static_cast<int64_t>(place.size());
    const auto ns = number_in(l, "ns");
    const auto self_ns = number_in(l, "self_ns", ns);
    const auto timed = whole_ns > 0.0 && ns > 0.0;
    place.push_back(static_cast<int64_t>(out.size()));
    out.push_back({{"line", whole(line)},
                   {"last", std::clamp(whole(number_in(l, "last", line)), whole(line), int64_t{lines})},
                   {"function", text_in(l, "function").substr(0, 200)},
                   {"parent", known ? place[static_cast<size_t>(above)] : -1},
                   {"entries", or_null(number_in(l, "entries"))},
                   {"trips", or_null(number_in(l, "trips"))},
                   {"ns", or_null(ns)},
                   {"self_ns", or_null(self_ns)},
                   {"share", timed ? json(std::clamp(self_ns / whole_ns, 0.0, 1.0))
                                   : or_null(std::min(1.0, number_in(l, "share_of_kernel")))},
                   {"vector_lanes", or_null(number_in(l, "vector_lanes"))}});
  }
  return out;
}

json roof_of(const json& artefact) {
  const auto took = number_in(artefact, "took_ns");
  const auto memory = number_in(artefact, "memory_ns");
  const auto compute = number_in(artefact, "compute_ns");
  const auto least = std::max(memory, compute);
  if (took <= 0.0 || least <= 0.0)
    return nullptr;
  return {
      {"ns", least}, {"by", compute >= memory ? "compute" : text_in(artefact, "level")}, {"headroom", took / least}};
}

// Returns the machine code of the loop that takes the time; null if no pass made it.
json assembly_of(const artefacts& have) {
  constexpr size_t most = 4'000;
  const auto found = have.find(artefact_kind::assembly);
  if (found == have.end() || found->second.empty())
    return nullptr;
  auto text = found->second.substr(0, most);
  if (text.size() < found->second.size())
    text.resize(std::min(text.rfind('\n'), text.size()));
  return text;
}

json shown(const finding& f) {
  auto out = to_json(f);
  out["title"] = row_of(f.bound).words;
  out["strategy"] = row_of(f.bound).strategy;
  return out;
}

// Returns the kernels of a device's call, the one that takes most time first.
json kernels_of(const artefacts& have, double call_ns) {
  auto kernels = device_facts_of(have).kernels;
  std::sort(kernels.begin(), kernels.end(),
            [](const auto& a, const auto& b) { return a.ns != b.ns ? a.ns > b.ns : a.name < b.name; });
  auto out = json::array();
  for (const auto& k : kernels)
    if (out.size() < most_loops)
      out.push_back({{"kernel", k.name.substr(0, 200)},
                     {"launches", whole(k.launches)},
                     {"ns", or_null(k.ns)},
                     {"share", call_ns > 0.0 && k.ns > 0.0 ? json(std::min(1.0, k.ns / call_ns)) : json(nullptr)},
                     {"registers", or_null(k.registers)},
                     {"occupancy", or_null(std::min(1.0, k.occupancy))},
                     {"limit", k.limit.empty() ? json(nullptr) : json(k.limit.substr(0, 100))}});
  return out;
}

// Returns the launches of one call on the device's time line.
json timeline_of(const json& trace) {
  auto out = json::array();
  if (trace.is_object() && trace.contains("kernels") && trace["kernels"].is_array())
    for (const auto& k : trace["kernels"])
      if (out.size() < most_loops && number_in(k, "ns") > 0.0)
        out.push_back({{"kernel", text_in(k, "kernel").substr(0, 200)},
                       {"start_ns", std::max(0.0, number_in(k, "start_ns"))},
                       {"ns", number_in(k, "ns")}});
  return out;
}

bool same_place(const finding& a, const finding& b) {
  return a.bound == b.bound && a.lines.size() == b.lines.size()
         && std::equal(a.lines.begin(), a.lines.end(), b.lines.begin(),
                       [](const auto& x, const auto& y) { return x.first == y.first && x.last == y.last; });
}

} // namespace

std::vector<finding> ranked(std::vector<finding> in) {
  const auto weight = [](const finding& f) { return f.share * f.confidence; };
  std::vector<finding> out;
  for (auto& f : in) {
    const auto twin = std::find_if(out.begin(), out.end(), [&](const auto& x) { return same_place(x, f); });
    if (twin == out.end())
      out.push_back(std::move(f));
    else if (f.confidence > twin->confidence)
      *twin = std::move(f);
  }
  // A finding that names no bottleneck never comes before one that does.
  std::sort(out.begin(), out.end(), [&](const finding& a, const finding& b) {
    const auto named_a = a.bound != bound_class::unknown;
    const auto named_b = b.bound != bound_class::unknown;
    return named_a != named_b ? named_a : weight(a) != weight(b) ? weight(a) > weight(b) : a.bound < b.bound;
  });
  return out;
}

json diagnosis_of(const diagnosis_facts& facts) {
  const auto lines = static_cast<uint32_t>(std::count(facts.source.begin(), facts.source.end(), '\n') + 1);
  const auto loops = parsed(facts.have, artefact_kind::loops);
  const auto timings = parsed(facts.have, artefact_kind::timings);
  const auto roof = roof_of(parsed(facts.have, artefact_kind::roof));
  const auto timed = timings.is_object() ? timings.value(facts.shape, json::object()) : json::object();
  const auto judged_ns = number_in(timed, "candidate_ns");
  const auto trace = parsed(facts.have, artefact_kind::device_trace);
  const auto probed_ns = number_in(loops, "call_ns", number_in(trace, "call_ns"));
  auto all = ranked(facts.findings);
  std::erase_if(all, [](const auto& f) { return f.bound != bound_class::unknown && f.share < least_shown_share; });
  for (auto& f : all)
    std::erase_if(f.lines, [&](const auto& l) { return l.first < 1 || l.last < l.first || l.last > lines; });
  auto first = json::array();
  for (size_t i = 0; i < all.size() && i < most_shown_findings; ++i)
    first.push_back(shown(all[i]));
  json bound = nullptr;
  if (!all.empty()) {
    const auto& f = all.front();
    bound = {{"class", to_string(f.bound)},
             {"title", row_of(f.bound).words},
             {"confidence", f.confidence},
             {"share", f.share},
             {"strategy", row_of(f.bound).strategy}};
  }
  return {{"schema", diagnosis_version},
          {"task", facts.task},
          {"target", facts.target},
          {"candidate", facts.index},
          {"shape", facts.shape},
          {"call_ns", or_null(judged_ns)},
          {"probed_call_ns", or_null(probed_ns)},
          {"timed_share", timed_share_of(loops)},
          {"roof", roof},
          {"bound", bound},
          {"loops", loops_of(loops, probed_ns, lines)},
          {"kernels", kernels_of(facts.have, probed_ns)},
          {"timeline", timeline_of(trace)},
          {"assembly", assembly_of(facts.have)},
          {"findings", first},
          {"further_findings", all.size() - first.size()}};
}

profiling_record summary_of(const json& diagnosis) {
  profiling_record out;
  if (!diagnosis.is_object())
    return out;
  const auto& bound = diagnosis.value("bound", json(nullptr));
  const auto named = parse_enum<bound_class>(text_in(bound, "class"));
  if (named && *named != bound_class::unknown) {
    out.bound = to_string(*named);
    out.share = number_in(bound, "share");
    out.confidence = number_in(bound, "confidence");
  }
  double most = 0.0;
  for (const auto& l : diagnosis.value("loops", json::array()))
    if (const auto share = number_in(l, "share"); share > most) {
      most = share;
      out.line = static_cast<uint32_t>(number_in(l, "line"));
    }
  for (const auto& f : diagnosis.value("findings", json::array())) // loops without times: the finding's own lines
    if (const auto lines = f.value("lines", json::array()); out.line == 0 && !lines.empty())
      out.line = static_cast<uint32_t>(number_in(lines.front(), "first"));
  return out;
}

json chrome_trace(const json& diagnosis) {
  if (!diagnosis.is_object())
    return {{"traceEvents", json::array()}};
  auto events = json::array();
  const auto event = [&](const std::string& name, double at_us, double us, const json& about) {
    events.push_back(
        {{"name", name}, {"ph", "X"}, {"ts", at_us}, {"dur", us}, {"pid", 1}, {"tid", 1}, {"args", about}});
  };
  const auto call_ns =
      std::max(number_in(diagnosis, "probed_call_ns", number_in(diagnosis, "call_ns")), outer_ns(diagnosis["loops"]));
  event(
      text_in(diagnosis, "task") + ", " + text_in(diagnosis, "shape"), 0.0, call_ns / 1e3,
      {{"candidate", diagnosis.value("candidate", json(nullptr))}, {"bound", diagnosis.value("bound", json(nullptr))}});
  if (diagnosis.contains("timeline"))
    for (const auto& k : diagnosis["timeline"])
      event(text_in(k, "kernel"), number_in(k, "start_ns") / 1e3, number_in(k, "ns") / 1e3, k);
  const auto& loops = diagnosis["loops"];
  std::vector<double> next(loops.size()); // where the next loop inside begins
  double outer = 0.0;
  for (size_t i = 0; i < loops.size(); ++i) {
    const auto& l = loops[i];
    const auto ns = number_in(l, "ns");
    const auto above = l.value("parent", int64_t{-1});
    auto& at = above >= 0 && above < static_cast<int64_t>(i) ? next[static_cast<size_t>(above)] : outer;
    event("line " + std::to_string(l.value("line", 0)), at / 1e3, ns / 1e3, l);
    next[i] = at;
    at += ns;
  }
  return {{"traceEvents", events}, {"displayTimeUnit", "ns"}};
}

} // namespace kevolve
