#include "actors/devices/device_samples.hpp"

#include "actors/devices/device_health.hpp"
#include "actors/messages/keys.hpp"

#include <algorithm>

namespace kevolve {

bool worth_storing(const std::optional<device_record>& kept, const device_record& now,
                   std::chrono::milliseconds since) {
  const auto is_sick = [](const device_record& r) { return r.state == to_string(device_health::state::quarantined); };
  if (!kept)
    return now.sample.time_ns != 0 || is_sick(now);
  if (is_sick(*kept) != is_sick(now))
    return true;
  if (kept->sample.time_ns == now.sample.time_ns)
    return false;
  return kept->sample.throttled_by != now.sample.throttled_by || since >= samples_stored_every;
}

std::string sample_key(const std::string& device, uint64_t serial) {
  return keys::device_sample(device, serial % samples_kept);
}

std::vector<uint64_t> serials_there(uint64_t newest, uint64_t from, uint64_t limit) {
  const auto oldest = newest > samples_kept ? newest - samples_kept + 1 : 1;
  std::vector<uint64_t> out;
  for (auto serial = std::min(newest, from); serial >= oldest && out.size() < limit; --serial)
    out.push_back(serial);
  return out;
}

} // namespace kevolve
