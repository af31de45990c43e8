// A task with a reference and a fast kernel, and campaigns whose candidates come from people alone.
#pragma once

#include "tests/support/program.hpp"

#include <string>
#include <vector>

namespace kevolve::test {

// Returns the task file row_squares.task.toml: sums of squares of each row, 512 x 2048 and a held-out shape.
// `short_rows`: also 100000 x 3.
std::string row_squares_task(bool short_rows);
extern const char* const row_squares_reference; // row_squares.c
// Several times as fast on long rows, because its sums are independent; on short rows it clears more than it sums.
extern const char* const row_squares_fast;
// Alone as fast as the first one. In a dispatcher its entry has another name, and then it computes everything three
// times.
extern const char* const row_squares_renamed;
extern const char* const row_squares_campaign; // campaign.toml, with the generator relay

// Writes the files of the task and the campaign.
void write_row_squares(const temporary_folder& f, bool short_rows);
// Runs a campaign on a daemon that is given these kernels and generates no others. Returns its id.
std::string campaign_of(const temporary_folder& f, bool short_rows, const std::vector<const char*>& kernels);

} // namespace kevolve::test
