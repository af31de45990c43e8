#include "tests/landscape/made_up.hpp"

#include <doctest/doctest.h>

#include <cstdio>
#include <fstream>

using namespace kevolve;
using namespace kevolve::bench;

namespace {

std::string file_here(const std::string& name) {
  return "landscape-test-" + name;
}

} // namespace

TEST_CASE("a record comes back from its file as it was written, compressed or as text") {
  auto made = made_up(0.05);
  made.nodes[7].again = made.nodes[7].pairs;
  made.nodes[9].same_as = 3;
  made.nodes[9].features = {{"code_bytes", 700.0}};
  made.nodes[11].result = verdict::wrong_result;
  const auto packed = file_here("packed");
  const auto text = file_here("text");
  REQUIRE(write_landscape(made, packed));
  std::ofstream{text, std::ios::binary} << to_text(made);
  for (const auto& path : {packed, text}) {
    const auto read = read_landscape(path);
    REQUIRE(read);
    CHECK(to_text(*read) == to_text(made));
    CHECK(read->nodes[9].same_as == 3);
    CHECK(read->nodes[11].result == verdict::wrong_result);
    CHECK(true_speedup(*read, 31) == doctest::Approx(true_speedup(made, 31)).epsilon(1e-3));
    std::remove(path.c_str());
  }
}

TEST_CASE("a last line that was cut off is left out, and a damaged line is named") {
  const auto text = to_text(made_up());
  const auto cut = parse_landscape(text.substr(0, text.size() - 5), "cut");
  REQUIRE(cut);
  CHECK(cut->nodes.size() == 31);
  auto damaged = text;
  damaged.replace(damaged.find("\"b\""), 3, "\"b");
  const auto bad = parse_landscape(damaged, "damaged");
  REQUIRE_FALSE(bad);
  CHECK(bad.error().code == errc::corrupt);
  CHECK(bad.error().detail.starts_with("damaged, line 3: "));
  CHECK_FALSE(parse_landscape("", "nothing"));
}

TEST_CASE("a file that is no landscape is refused") {
  const auto path = file_here("none");
  std::ofstream{path, std::ios::binary} << "something else";
  const auto read = read_landscape(path);
  REQUIRE_FALSE(read);
  CHECK(read.error().code == errc::corrupt);
  std::remove(path.c_str());
  CHECK(read_landscape("no-such-file").error().code == errc::not_found);
}

TEST_CASE("a record of another generator version is refused by the names of both") {
  auto made = made_up();
  CHECK(check_generator(made, "x.landscape"));
  made.generator = "transform 0";
  const auto refused = check_generator(made, "x.landscape");
  REQUIRE_FALSE(refused);
  CHECK(refused.error().code == errc::unsupported);
  CHECK(refused.error().detail.find("x.landscape") != std::string::npos);
  CHECK(refused.error().detail.find("'transform 0'") != std::string::npos);
  CHECK(refused.error().detail.find("'" + present_generator() + "'") != std::string::npos);
}

TEST_CASE("the second measurement is a candidate's true figure, and a failed one has none") {
  auto made = made_up();
  CHECK(true_speedup(made, 0) == 1.0);
  CHECK(true_speedup(made, 1) == doctest::Approx(1.3));
  made.nodes[1].again = {{{3000.0, 3000.0}, {1000.0, 1000.0}}};
  CHECK(true_speedup(made, 1) == doctest::Approx(3.0));
  made.nodes[2].same_as = 1;
  CHECK(true_speedup(made, 2) == doctest::Approx(3.0));
  made.nodes[3].result = verdict::crashed;
  CHECK(true_speedup(made, 3) == 0.0);
}

TEST_CASE("a speed-up is the weighted geometric mean of the shapes' medians") {
  const std::vector<shape_pairs> pairs{{{4.0, 8.0, 100.0}, {1.0, 2.0, 1.0}}, {{1.0}, {1.0}}};
  CHECK(speedup_of(pairs, {1.0, 1.0}) == doctest::Approx(2.0));
  CHECK(speedup_of(pairs, {1.0, 0.0}) == doctest::Approx(4.0));
  CHECK(speedup_of({}, {1.0}) == 0.0);
}
