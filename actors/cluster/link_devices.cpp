#include "actors/cluster/link_devices.hpp"

#include "actors/cluster/link_membership.hpp"
#include "runtime/base/log.hpp"

#include <algorithm>
#include <set>
#include <vector>

namespace kevolve {

namespace {

// Reading a fingerprint looks through the machine's description of all its cores.
constexpr auto look_every = std::chrono::seconds{10};

// Returns why the node is to be quarantined; empty if all devices are as announced, or PostgreSQL is away.
std::string difference(cluster_link_pointer self, const std::vector<device_reading>& readings) {
  auto& st = self->state;
  for (const auto& r : readings)
    if (auto why = changed_fingerprint(r); !why.empty())
      return why;
  std::set<std::string> fresh; // fingerprints with a new measurement
  for (const auto& r : readings)
    if (auto& compared = st.compared[r.device + " " + r.announced]; r.serial > compared) {
      compared = r.serial;
      fresh.insert(r.announced);
    }
  for (const auto& fingerprint : fresh) {
    const auto measured = lowest_rates(readings, fingerprint);
    const auto expected = postgres::note_figures(*st.connection, st.setup.self, fingerprint, measured);
    if (!reached(self, expected)) {
      st.compared.clear();
      return {};
    }
    if (auto why = differing_rate(measured, *expected); !why.empty())
      return why;
  }
  return {};
}

} // namespace

void check_devices(cluster_link_pointer self) {
  auto& st = self->state;
  const auto now = self->clock().now();
  if (!st.setup.devices || !st.quarantined.empty() || now < st.devices_due)
    return;
  const auto readings = st.setup.devices();
  const auto why = difference(self, readings);
  // A device that has not been measured yet is asked about at the next heartbeat.
  if (std::all_of(readings.begin(), readings.end(), [](const auto& r) { return r.serial > 0; }))
    st.devices_due = now + look_every;
  if (why.empty() || !st.joined || !reached(self, postgres::quarantine(*st.connection, st.setup.self, why)))
    return;
  st.quarantined = why;
  log::error("cluster", "'{}' is quarantined and gets no more jobs: {}; kevolve nodes undrain {} lets it in again",
             st.setup.self.name, why, st.setup.self.name);
}

} // namespace kevolve
