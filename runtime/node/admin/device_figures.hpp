// What devices were like at their last sample, as figures for Prometheus.
#pragma once

#include "actors/messages/records.hpp"
#include "runtime/node/admin/exposition.hpp"

#include <map>
#include <string>

namespace kevolve {

// By device. What is unknown has no series.
void put_devices(exposition& out, const std::map<std::string, device_record>& devices);

} // namespace kevolve
