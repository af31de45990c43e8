#include "backends/cpu/profile/counter_values.hpp"

#include <algorithm>
#include <string_view>

namespace kevolve {

double scaled_count(const std::array<uint64_t, 3>& reading) {
  const auto [value, enabled, running] = reading;
  return running == 0 ? -1.0 : static_cast<double>(value) * static_cast<double>(enabled) / static_cast<double>(running);
}

call_counters counters_of_call(const counter_values& without, const counter_values& with, double calls,
                               double slots_a_cycle) {
  call_counters out;
  counter_values slots;
  const std::string_view prefix{slot_prefix};
  for (const auto& [name, x] : with)
    if (const auto before = without.find(name); before != without.end()) {
      const auto own = std::max(0.0, x - before->second) / calls;
      if (name.starts_with(prefix))
        slots[name.substr(prefix.size())] = own;
      else
        out.counts[name] = own;
    }
  out.top_down = top_down_shares(slots, slots_a_cycle);
  return out;
}

} // namespace kevolve
