#include "tests/cli/row_squares.hpp"

#include <doctest/doctest.h>

using namespace kevolve::test;

TEST_CASE("a kernel that is faster alone than in a dispatcher is handed out alone") {
  temporary_folder f;
  campaign_of(f, {.rows = 128}, {row_squares_renamed}); // sizes beyond it have four times as many
  auto said = run_kevolve({"dispatch", "--data", "d", "--out", "kernel_alone.c", "--bundle", "kernel", "--flags", "O3",
                           "--margin", "5", "--json"},
                          f.path);
  CAPTURE(said.out);
  CAPTURE(said.err);
  REQUIRE(said.code == 0);
  CHECK(said.err.find("[warning]") == std::string::npos);
  const auto document = said.document();
  CHECK(document["margin"] == 0.05);
  CHECK(document["handed_out"] == "candidate");
  CHECK(document["kept_because"].is_null());
  CHECK(document["fastest_alone"]["candidate"] == 1);
  CHECK(document["fastest_alone"]["dispatcher_against_it"]["test"]["result"] == "inferior");
  CHECK(document["source"] == row_squares_renamed);
  CHECK(read_file(f.path + "/kernel_alone.c") == row_squares_renamed);
  const auto results = json::parse(read_file(f.path + "/kernel/results.json"));
  CHECK(results["candidate"] == 1);
  CHECK(results["dispatches"].is_null());
  CHECK(results["regions"].empty());
  CHECK(read_file(f.path + "/kernel/kernel.c") == row_squares_renamed);
  // Everything describes the file: the kernel alone.
  REQUIRE(document["regions"].size() == 1);
  CHECK(document["regions"][0]["when"] == "all sizes");
  CHECK(document["regions"][0]["candidate"] == 1);
  CHECK(document["speedup"] == document["fastest_alone"]["speedup"]);
  for (const auto* group : {"shapes", "between", "beyond"})
    for (const auto& s : document[group])
      CHECK(s["candidate"] == 1);
  for (size_t s = 0; s < document["shapes"].size(); ++s)
    CHECK(document["shapes"][s]["speedup"] == document["judged_alone"][0]["shapes"][s]["speedup"]);
  CHECK(document["dispatcher"]["regions"].size() >= 2); // the one that lost
}
