// Which of a device's samples are stored, and how many are kept. Pure: the device actor owns the values and the clock.
#pragma once

#include "actors/messages/records.hpp"

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace kevolve {

// While nothing changes that an operator would look for, one in this time is stored.
inline constexpr std::chrono::milliseconds samples_stored_every = std::chrono::seconds{10};
// Of each device: a day, if nothing changes. The next takes the place of the oldest, so that the store does not grow.
inline constexpr uint64_t samples_kept = 8'640;

// Whether `now` is worth storing, so long after `kept` was stored by this actor. Always if what slows the device down
// or whether it is quarantined has changed; the same sample never twice.
bool worth_storing(const std::optional<device_record>& kept, const device_record& now, std::chrono::milliseconds since);

// Where the record of that serial lies, in the index.
std::string sample_key(const std::string& device, uint64_t serial);
// The serials that are there, newest first: at most `limit`, none above `from`.
std::vector<uint64_t> serials_there(uint64_t newest, uint64_t from, uint64_t limit);

} // namespace kevolve
