#include "actors/search/axes.hpp"
#include "runtime/base/kinds.hpp"

#include <doctest/doctest.h>

using namespace kevolve;

TEST_CASE("the widest vectors, the length of the code and the changed nests are a candidate's features") {
  const auto f =
      features_of("/* __m512 */ __m256 x; // _mm512_add\nint  y;\n", "tile(L1,64); unroll(L3,4); vectorise(L1,8)");
  CHECK(f.at("vector_bits") == 256.0);
  CHECK(f.at("code_bytes") == 13.0);
  CHECK(f.at("nests_changed") == 2.0);
  CHECK(features_of("float4 v;", "").at("vector_bits") == 128.0);
  CHECK_FALSE(features_of("float4 v;", "").contains("nests_changed"));
  CHECK(features_of("float x;", "").at("vector_bits") == 0.0);
  CHECK(features_of("", "tile(L1,64)").empty());
}

TEST_CASE("a bin begins at its edge, and a missing figure is in bin 0") {
  CHECK(bins_of({}) == behaviour_bins{});
  CHECK(bins_of({{"vector_bits", 0.0}})[0] == 1);
  CHECK(bins_of({{"vector_bits", 255.0}})[0] == 3);
  CHECK(bins_of({{"vector_bits", 256.0}})[0] == 4);
  CHECK(bins_of({{"vector_bits", 1e9}})[0] == 5);
  CHECK(bins_of({{"code_bytes", 700.0}, {"nests_changed", 2.0}}) == behaviour_bins{0, 2, 3, 0});
}

TEST_CASE("a cell is named by its axes") {
  CHECK(cell_text(bins_of({{"vector_bits", 256.0}, {"code_bytes", 100.0}}))
        == "vector_bits 256 to 512, code_bytes below 500, nests_changed unknown, bound unknown");
  CHECK(cell_text(bins_of({{"vector_bits", 600.0}})).starts_with("vector_bits from 512,"));
  CHECK(cell_text(bins_of({{"vector_bits", 256.0}, {"code_bytes", 100.0}}), axes_named({"code_bytes", "bound"}))
        == "code_bytes below 500, bound unknown");
}

TEST_CASE("names stand for their axes, and no name stands for all of them") {
  CHECK(axes_named({}) == all_axes);
  CHECK(axes_named(behaviour_axis_names()) == all_axes);
  CHECK(axes_named({"bound", "vector_bits"}) == axis_set{true, false, false, true});
  CHECK(axes_named({"colour"}) == axis_set{});
}

TEST_CASE("the bottleneck of a candidate is an axis with a bin for each bound") {
  behaviour_bins cell{};
  cell[bound_axis] = bin_of_bound("latency_chain");
  CHECK(cell[bound_axis] > 0);
  CHECK(cell_text(cell).ends_with(", bound latency_chain"));
  CHECK(bin_of_bound("port_pressure") != bin_of_bound("latency_chain"));
  for (const auto* none : {"", "unknown", "magic"})
    CHECK(bin_of_bound(none) == 0);
}

TEST_CASE("a prior is bounded, and 1 where none is recorded") {
  CHECK(prior_of({}) == 1.0F);
  CHECK(prior_of({{"prior", 3.0}}) == 3.0F);
  CHECK(prior_of({{"prior", -1.0}}) == 0.01F);
  CHECK(prior_of({{"prior", 1e30}}) == 100.0F);
}
