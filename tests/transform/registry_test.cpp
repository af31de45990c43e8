// The table of moves, the names in it, and the labels of what moves make.
#include "backends/generator.hpp"
#include "backends/generators/transform/ir/label.hpp"
#include "backends/generators/transform/moves/registry.hpp"

#include <doctest/doctest.h>

#include <cstdlib>
#include <fstream>
#include <set>
#include <sstream>
#include <string>

namespace kevolve::test {

using namespace transform;

TEST_CASE("every move is registered once, can be applied and is documented") {
  std::ifstream in(std::string{std::getenv("KEVOLVE_SOURCE")} + "/backends/generators/transform/README.md");
  std::stringstream readme;
  readme << in.rdbuf();
  std::set<std::string_view> names;
  for (const auto* m : all_moves()) {
    CAPTURE(m->name);
    CHECK(names.insert(m->name).second);
    if (!m->former_name.empty())
      CHECK(names.insert(m->former_name).second);
    CHECK(find_move(m->name) == m);
    CHECK((m->apply != nullptr));
    CHECK((m->candidates != nullptr));
    CHECK(readme.str().find("**" + std::string{m->name}) != std::string::npos);
  }
  CHECK(find_move("nonsense") == nullptr);
}

TEST_CASE("arguments are checked against the rules of their move") {
  const auto fits = [](const move_descriptor& m, const std::vector<std::string>& args) { return m.fits(args); };
  CHECK(fits(moves::tile, {"L0", "64"}));
  for (const auto* wrong : {"0", "-4", "9999999", "12x", "", "99999999999999999999"})
    CHECK_FALSE(fits(moves::tile, {"L0", wrong}));
  CHECK_FALSE(fits(moves::tile, {"L0"}));
  CHECK_FALSE(fits(moves::tile, {"L0", "4", "4"}));
  CHECK(fits(moves::vectorise, {"L0", "8"}));
  CHECK_FALSE(fits(moves::vectorise, {"L0", "7"}));
  CHECK(fits(moves::first, {"W0", "0"}));
  CHECK(fits(moves::narrow, {"L0"}));
  CHECK(fits(moves::narrow, {"L0", "16"}));
  CHECK_FALSE(fits(moves::narrow, {"L0", "32"}));
  CHECK_FALSE(fits(moves::narrow, {"L0", "12"}));
}

TEST_CASE("genomes with former names of moves are read under the present ones") {
  const std::string before = "hold(L1); select(B0); cut(L0,B0); split(L1,4); coalesce(L2); tile(L1,64)";
  const std::string now = "scalar_replace(L1); if_convert(B0); split_index_set(L0,B0); split_accumulators(L1,4); "
                          "merge_segment_copies(L2); tile(L1,64)";
  CHECK(to_string(parse_genome(before).value()) == now);
  CHECK(with_present_names(before) == now);
  CHECK(with_present_names("tile( no genome") == "tile( no genome");
  CHECK(genome_fingerprint(before) == genome_fingerprint(now));
  CHECK(genome_fingerprint(now) != genome_fingerprint("tile(L1,64)"));
}

TEST_CASE("a label keeps the roles of a loop and prints them as letters") {
  const loop_label tiles = loop_label{"L12"}.with(loop_role::tiles);
  CHECK(tiles.text() == "L12t");
  CHECK(tiles.base() == "L12");
  CHECK(tiles.is(loop_role::tiles));
  CHECK_FALSE(tiles.is_original());
  CHECK_FALSE(tiles.is_tile_of_tiles());
  CHECK(tiles.with(loop_role::tiles).is_tile_of_tiles());
  CHECK(tiles.without_last_role() == loop_label{"L12"});
  for (const char* printed : {"L0", "W1w", "B3u", "L1trcdbqwpuosnhe", "WL2r", ""})
    CHECK(loop_label{printed}.text() == printed);
  CHECK(loop_label{"L1r"} == loop_label{"L1"}.with(loop_role::rest));
  CHECK(loop_label{"L1r"}.as_while().text() == "WL1r");
  CHECK(loop_label{"L1r"}.as_while().is_while());
  CHECK(loop_label{"L1xyz"}.is_original()); // no role has such letters
}

} // namespace kevolve::test
