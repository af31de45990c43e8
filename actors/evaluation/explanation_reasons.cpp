#include "actors/evaluation/explanation_reasons.hpp"

#include "backends/profile/bound_class.hpp"

#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include <algorithm>

namespace kevolve {

namespace {

using nlohmann::json;

json reason(const char* kind, json line, std::string words, json rewrite) {
  return {{"kind", kind}, {"line", std::move(line)}, {"words", std::move(words)}, {"rewrite", std::move(rewrite)}};
}

// Returns the bottleneck that a roof is: "compute", or a level of memory.
bound_class bound_of_roof(const json& roof) {
  return parse_enum<bound_class>(roof.value("by", std::string{})).value_or(bound_class::unknown);
}

void add_loops(const json& loops, json& out) {
  for (const auto& l : loops) {
    const auto& obstacle = l["order"].is_object() ? l["order"] : l["vectors"];
    if (!obstacle.is_object())
      continue;
    const auto* effect =
        l["order"].is_object() ? "its iterations stay in order: " : "it cannot be vectorised as it is: ";
    out.push_back(
        reason("loop", l["line"], effect + obstacle["why"].get<std::string>(), obstacle["rewrite"].get<std::string>()));
  }
}

} // namespace

json reasons_json(const json& loops, const json& kept, const json& bound, const json& diagnosis) {
  auto out = json::array();
  const auto roof = diagnosis.is_object() ? diagnosis.value("roof", json(nullptr)) : json(nullptr);
  const auto headroom = roof.is_object() ? roof.value("headroom", 0.0) : 0.0;
  if (headroom > 0.0 && headroom <= near_roof_headroom) {
    const auto& row = row_of(bound_of_roof(roof));
    out.push_back(reason("roof", nullptr,
                         fmt::format("it takes {:.2f} times the least time that {} allows for the declared work: no "
                                     "rewrite that does the same work gains more than that",
                                     headroom, row.bound == bound_class::unknown ? "the roof" : row.words),
                         row.strategy));
  }
  if (bound.is_object())
    out.push_back(reason("bottleneck", nullptr,
                         (bound["candidate"] == 0 ? std::string{"the reference"}
                                                  : "candidate " + std::to_string(bound["candidate"].get<uint64_t>()))
                             + " is bound by " + bound["title"].get<std::string>(),
                         bound["strategy"].get<std::string>()));
  add_loops(loops, out);
  for (const auto& k : kept)
    if (k.value("line", 0U) > 0) // a remark on the whole text names no reason
      out.push_back(reason("kept", k["line"], "it is kept word for word: " + k["why"].get<std::string>(),
                           "Write the construct as counted for-loops over arrays, with plain ifs."));
  return out;
}

std::string nothing_found(const json& loops, const std::vector<node_record>& nodes,
                          const std::vector<std::string>& why_no_bound) {
  const auto judged = std::count_if(nodes.begin(), nodes.end(),
                                    [](const auto& n) { return n.index != 0 && n.result != verdict::none; });
  const auto passed = std::count_if(nodes.begin(), nodes.end(),
                                    [](const auto& n) { return n.index != 0 && n.result == verdict::pass; });
  auto out = loops.empty() ? std::string{"No reason was found: the embedded generator reads no loop of the reference"}
                           : fmt::format("No reason was found: {} of the reference {} free to be reordered and "
                                         "vectorised",
                                         loops.size() == 1 ? "the loop" : fmt::format("all {} loops", loops.size()),
                                         loops.size() == 1 ? "is" : "are");
  out += fmt::format("; {} candidates were judged, and {} of them passed", judged, passed);
  if (why_no_bound.size() == 1)
    return out + "; " + why_no_bound.front() + ".";
  return out + fmt::format("; no profile names a bottleneck, for {} reasons that stand with it.", why_no_bound.size());
}

} // namespace kevolve
