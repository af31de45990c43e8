// The last sample of each device as metrics for Prometheus.
#pragma once

#include "actors/messages/records.hpp"
#include "runtime/node/admin/exposition.hpp"

#include <map>
#include <string>

namespace kevolve {

// Writes the metrics of each device. Unknown values have no series.
void put_devices(exposition& out, const std::map<std::string, device_record>& devices);

} // namespace kevolve
