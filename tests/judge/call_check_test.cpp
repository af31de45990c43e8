#include "backends/judge/call_check.hpp"

#include <doctest/doctest.h>

using namespace kevolve;

namespace {

std::string told(edge_kind edge, bool held_out, verdict result = verdict::wrong_result) {
  input_sets inputs;
  inputs.shape.name = "n=8";
  inputs.shape.held_out = held_out;
  inputs.edge = edge;
  input_set set;
  set.draw = "n=1, all equal";
  rejection c;
  c.result = result;
  c.detail = "output 'y': wrong";
  tell_where(inputs, set, c);
  return c.detail;
}

} // namespace

TEST_CASE("a wrong result says on which shape and on which kind of draw, and never which held-out shape") {
  CHECK(told(edge_kind::none, false) == "output 'y': wrong, on inputs by the fill rules at shape 'n=8'");
  CHECK(told(edge_kind::none, true) == "output 'y': wrong, on inputs by the fill rules at a held-out shape");
  CHECK(told(edge_kind::none, false, verdict::nonfinite).find("n=8") != std::string::npos);
  CHECK(told(edge_kind::zeros, false) == "output 'y': wrong, on the edge 'zeros' at shape 'n=8'");
  CHECK(told(edge_kind::adversarial, false) == "output 'y': wrong, on the draw 'n=1, all equal'");
  CHECK(told(edge_kind::none, false, verdict::crashed) == "output 'y': wrong"); // a crash names its own place
}
