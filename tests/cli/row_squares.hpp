// A task that is small and fast to judge: a sum of squares by rows, slow enough at -O3 to be improved. With it a
// reference, fast kernels and campaigns.
#pragma once

#include "tests/support/program.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace kevolve::test {

struct row_squares_variant {
  std::string summary = "Sum of squares of every row";
  int64_t rows = 512;      // of the first shape, with 2048 columns; a held-out one has 33 x 17
  bool short_rows = false; // a shape of 100000 x 3, too
  bool declares_work = false;
};
// Returns the text of row_squares.task.toml.
std::string row_squares_task(const row_squares_variant& v = {});
extern const char* const row_squares_reference; // row_squares.c
// Several times as fast on long rows, because its sums are independent; on short rows it clears more than it sums.
extern const char* const row_squares_fast;
// Alone as fast as the first one. In a dispatcher its entry has another name, and then it computes everything three
// times.
extern const char* const row_squares_renamed;
// Texts of campaign.toml: one searches by the generator transform, in the other candidates come from people alone.
extern const char* const row_squares_search;
extern const char* const row_squares_relay;

// Writes row_squares.task.toml, row_squares.c and campaign.toml into the folder.
void write_row_squares(const temporary_folder& f, const row_squares_variant& v = {},
                       const char* campaign = row_squares_search);
// Runs a campaign on a daemon that is given these kernels and generates no others. Returns its id.
std::string campaign_of(const temporary_folder& f, const row_squares_variant& v,
                        const std::vector<const char*>& kernels);

} // namespace kevolve::test
