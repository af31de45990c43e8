#include "actors/campaign/parent_stage.hpp"

#include <doctest/doctest.h>

using namespace kevolve;

TEST_CASE("the stage of a parent follows from the vectors that its source names") {
  search_tree tree;
  const auto finished = [&](const behaviour_bins& bins) {
    const auto index = tree.add({0}, true);
    node_outcome o;
    o.result = verdict::pass;
    o.set_speedup({2.0, 1.9, 2.1});
    o.behaviour = bins;
    tree.finish(index, o);
    return index;
  };
  const auto plain = finished(bins_of(features_of("void f(float *x) { x[0] = 1.0f; }", "jam(L0,2)")));
  const auto wide = finished(
      bins_of(features_of("typedef float v16 __attribute__((vector_size(64))); void f(v16 *x) { x[0] = x[1]; }", "")));
  const auto unknown = finished({});
  CHECK(stage_signal(tree, 0) == "stage:scalar");
  CHECK(stage_signal(tree, plain) == "stage:scalar");
  CHECK(stage_signal(tree, wide) == "stage:vectors");
  CHECK(stage_signal(tree, unknown).empty());
}
