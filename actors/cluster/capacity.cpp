#include "actors/cluster/capacity.hpp"

#include "runtime/base/cluster_words.hpp"

#include <algorithm>

namespace kevolve {

std::map<resource_class, uint32_t> capacity_of_others(const std::vector<postgres::node_row>& nodes,
                                                      const std::string& self) {
  std::map<resource_class, uint32_t> out;
  for (const auto& n : nodes)
    if (n.state == node_state::live && n.name != self)
      for (const auto& r : n.resources)
        out[{r.kind, r.target, r.hardware}] += r.slots;
  return out;
}

std::map<std::string, std::string> absent_judges(const std::vector<postgres::node_row>& nodes,
                                                 const std::string& self) {
  constexpr size_t named = 3; // of each target
  std::map<std::string, size_t> many;
  std::map<std::string, std::string> out;
  for (const auto& n : nodes)
    if (n.state != node_state::live && n.name != self)
      for (const auto& r : n.resources)
        if (r.kind == job_kind::judge && ++many[r.target] <= named)
          out[r.target] += (out[r.target].empty() ? "node '" : ", node '") + n.name
                           + (n.state == node_state::left ? "' has " : "' is ") + n.state;
  for (auto& [target, text] : out)
    if (many[target] > named)
      text += ", and " + std::to_string(many[target] - named) + " more";
  return out;
}

std::vector<postgres::offered_resource> free_slots(std::vector<postgres::offered_resource> offered,
                                                   const std::map<resource_class, uint32_t>& in_progress) {
  for (auto& r : offered)
    if (const auto busy = in_progress.find({r.kind, r.target, r.hardware}); busy != in_progress.end())
      r.slots -= std::min(r.slots, busy->second);
  std::erase_if(offered, [](const auto& r) { return r.slots == 0; });
  return offered;
}

uint32_t jobs_ahead(uint32_t slots) {
  return slots == 0 ? 0 : slots + 1 + slots / 4;
}

std::string judge_hardware(const std::string& device, const std::string& harness) {
  return device + "+" + harness;
}

std::string device_of(const std::string& judge_hardware) {
  return judge_hardware.substr(0, judge_hardware.rfind('+'));
}

} // namespace kevolve
