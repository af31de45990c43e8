#include "tests/cli/row_squares.hpp"

#include <doctest/doctest.h>

using namespace kevolve::test;

TEST_CASE("a dispatcher that a faster kernel beats is kept if the reference is to run outside") {
  temporary_folder f;
  campaign_of(f, false, {row_squares_renamed});
  auto kept = run_kevolve(
      {"dispatch", "--data", "d", "--out", "kept.c", "--flags", "O3", "--outside", "reference", "--margin", "5"},
      f.path);
  CAPTURE(kept.out);
  CAPTURE(kept.err);
  REQUIRE(kept.code == 0);
  CHECK(read_file(f.path + "/kept.c").find("kevolve_reference_row_squares") != std::string::npos);
  CHECK(kept.out.find("row_squares: 1 kernel and the reference") != std::string::npos);
  CHECK(kept.out.find("rows < 33 || rows > 512 || cols < 17 || cols > 2048  reference") != std::string::npos);
  CHECK(kept.out.find("candidate 1 alone is faster than the dispatcher on the declared shapes; the dispatcher is kept: "
                      "--outside reference")
        != std::string::npos);
  CHECK(kept.out.find("  SPEEDUP, CALLS ALONE  INTERVAL") != std::string::npos);
  CHECK(kept.out.find("COVERAGE") != std::string::npos);
}
