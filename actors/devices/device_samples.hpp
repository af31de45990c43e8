// Decides which of a device's samples are stored, and how many are kept. Pure: the device actor owns the values and the
// clock.
#pragma once

#include "actors/messages/records.hpp"

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace kevolve {

// While nothing of interest to an operator changes, one sample is stored per interval.
inline constexpr std::chrono::milliseconds samples_stored_every = std::chrono::seconds{10};
// Number per device: one day if nothing changes. A new sample replaces the oldest, so that the store does not grow.
inline constexpr uint64_t samples_kept = 8'640;

// Returns true if `now` is worth storing; `since` is the time since this actor stored `kept`. A change of throttling or
// of the quarantine is always stored, the same sample never twice.
bool worth_storing(const std::optional<device_record>& kept, const device_record& now, std::chrono::milliseconds since);

// Returns the key in the index of the record with that serial.
std::string sample_key(const std::string& device, uint64_t serial);
// Returns the serials of stored records, newest first: at most `limit`, none above `from`.
std::vector<uint64_t> serials_there(uint64_t newest, uint64_t from, uint64_t limit);

} // namespace kevolve
