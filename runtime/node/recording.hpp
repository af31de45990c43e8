// A campaign's record as one file: taken from a data directory, redacted, and read back for replay().
#pragma once

#include "actors/campaign/replay.hpp"
#include "store/store.hpp"

#include <string>

namespace kevolve {

// Takes a recording. It leaves out paths, names of relay clients, reasons of steering, and texts that look like a key.
// errc::not_found: no such campaign.
result<recording> take_recording(const store& data, const id128& campaign);

// Returns one JSON document.
std::string to_json_text(const recording& r);
// Parses a recording. errc::bad_input says which part is wrong; errc::newer_format.
result<recording> parse_recording(std::string_view text);

} // namespace kevolve
