// A campaign that is small and fast to judge: a sum of squares by rows, slow enough at -O3 to be improved.
#pragma once

#include "tests/support/program.hpp"

#include <string>

namespace kevolve::test {

extern const std::string small_task_text;
extern const std::string small_reference_text;
extern const std::string small_campaign_text;

// Writes row_squares.task.toml, row_squares.c and campaign.toml into the folder.
void write_campaign(const temporary_folder& f);

} // namespace kevolve::test
