// Reads a candidate's file for a target, with an entry of the target's flag menu.
#pragma once

#include "actors/messages/records.hpp"
#include "backends/target.hpp"

#include <string>

namespace kevolve {

// Reads a candidate. `flags`: the entry's name; empty: that of baselines. errc::bad_input: the target has no such
// language or flags, or the file cannot be read.
result<candidate> candidate_of_file(const std::string& path, const std::string& flags, const target& hardware);

} // namespace kevolve
