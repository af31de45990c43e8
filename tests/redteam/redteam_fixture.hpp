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
// Judges each of these, with each of its variants.
void try_all(const std::vector<exhibit>& list);
// Does the same for the cheats whose first class begins with one of these letters.
void try_cheats(const std::string& letters);
// The letters of all entries of the test.
inline const std::string process_classes = "P";
inline const std::string time_classes = "TS";
inline const std::string answer_classes = "RW";

} // namespace kevolve::redteam
