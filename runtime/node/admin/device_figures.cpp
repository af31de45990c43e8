#include "runtime/node/admin/device_figures.hpp"

#include "actors/devices/device_health.hpp"

namespace kevolve {

void put_devices(exposition& out, const std::map<std::string, device_record>& devices) {
  out.family("kevolve_device_state", "gauge", "Whether a device has proved itself: 1 for the state that it is in.");
  for (const auto& [id, d] : devices)
    for (const auto state : device_state_texts)
      out.sample({{"device", id}, {"state", std::string{state}}}, d.state == state ? uint64_t{1} : uint64_t{0});
  const auto gauge = [&](const char* name, const char* help, const auto& value) {
    out.family(name, "gauge", help);
    for (const auto& [id, d] : devices)
      if (const auto x = value(d.sample))
        out.sample({{"device", id}}, static_cast<double>(*x));
  };
  using figure = std::optional<double>;
  gauge("kevolve_device_sample_timestamp_seconds", "When a device was looked at last, with a job or idle.",
        [](const device_sample& s) { return s.time_ns == 0 ? figure{} : static_cast<double>(s.time_ns) / 1e9; });
  gauge("kevolve_device_temperature_celsius", "A device's temperature, at the last look.",
        [](const device_sample& s) { return s.celsius; });
  gauge("kevolve_device_power_watts", "What a device draws, at the last look.",
        [](const device_sample& s) { return s.milliwatts ? *s.milliwatts / 1e3 : figure{}; });
  gauge("kevolve_device_throttled", "Whether a device was slowed down at the last look: 1 if so.",
        [](const device_sample& s) { return s.throttled_by ? figure{s.throttled_by->empty() ? 0.0 : 1.0} : figure{}; });
  gauge("kevolve_device_foreign_processes",
        "Processes on a device that are not the node's, at the last look; at least.",
        [](const device_sample& s) { return s.foreign_processes; });
  out.family("kevolve_device_clock_hertz", "gauge", "A device's clocks, at the last look.");
  for (const auto& [id, d] : devices)
    for (const auto& [clock, mhz] : d.sample.clocks_mhz)
      out.sample({{"device", id}, {"clock", clock}}, 1e6 * mhz);
}

} // namespace kevolve
