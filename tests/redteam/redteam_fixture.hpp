// Judges every cheat once against the rejection in its first lines, and every honest control, which must pass. The long
// form is tools/bench/run redteam --long.
#pragma once

#include "tools/bench/redteam_catalogue.hpp"

#include <string>
#include <vector>

namespace kevolve::redteam {

// Returns tests/redteam, with its end.
std::string folder();
// Returns the exhibits of this process, which are read once.
const catalogue& exhibits();
// Judges an exhibit with each of its variants. Returns what is wrong with the judgements, or an empty text.
std::string objection_to(const exhibit& e);
// Returns the cheats whose first class begins with one of these letters.
std::vector<exhibit> cheats_of(const std::string& letters);
// A file outside the sandbox, which cheats try to write.
inline constexpr const char* mark_of_a_cheat = "/tmp/kevolve-was-here";
// The letters of all entries of the test.
inline const std::string process_classes = "P";
inline const std::string time_classes = "TS";
inline const std::string answer_classes = "RW";

} // namespace kevolve::redteam
