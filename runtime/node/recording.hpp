// A campaign's record as one file: taken from a data directory, redacted, and read back for replay().
#pragma once

#include "actors/campaign/replay.hpp"
#include "store/store.hpp"

#include <string>

namespace kevolve {

// Without paths, names of people and whatever looks like a key. errc::not_found: no such campaign.
result<recording> take_recording(const store& data, const id128& campaign);

// One JSON document.
std::string to_json_text(const recording& r);
// errc::bad_input says what of the text is no recording; errc::newer_format.
result<recording> parse_recording(std::string_view text);

} // namespace kevolve
