#include "tests/bundle/sample.hpp"
#include "tools/kevolve/bundle/svg.hpp"

#include <doctest/doctest.h>

#include <limits>

using namespace kevolve;
using namespace kevolve::test;

namespace {

void check_sound(const std::string& svg) {
  CHECK(svg.starts_with("<svg xmlns=\"http://www.w3.org/2000/svg\""));
  CHECK(svg.ends_with("</svg>\n"));
  for (const auto* bad : {"nan", "inf", "<script", "href", "<style", "url("})
    CHECK_FALSE_MESSAGE(has(svg, bad), bad);
  CHECK(times(svg, "<text") == times(svg, "</text>"));
}

} // namespace

TEST_CASE("progress is drawn as steps, with both axes labelled") {
  const auto svg = progress_svg(sample_bundle());
  check_sound(svg);
  CHECK(has(svg, "candidates judged"));
  CHECK(has(svg, "times as fast as the reference"));
  CHECK(times(svg, "<circle") == 2);
  CHECK(has(svg, "candidate 7: 2.50x after 9 candidates"));
}

TEST_CASE("a campaign without progress has a picture, too") {
  auto b = sample_bundle();
  b.progress.clear();
  b.candidates = 0;
  const auto svg = progress_svg(b);
  check_sound(svg);
  CHECK(times(svg, "<circle") == 0);
  CHECK(has(svg, "no step was recorded"));
}

TEST_CASE("the roofline places the kernel and the reference at each shape") {
  auto b = sample_bundle();
  check_sound(roofline_svg(b));
  CHECK(times(roofline_svg(b), "<circle") == 2);
  b.shapes.push_back(b.shapes.front());
  CHECK(times(roofline_svg(b), "<circle") == 4);
  CHECK(has(roofline_svg(b), "operations for each byte (log)"));
}

TEST_CASE("a roofline states its missing figures") {
  auto b = sample_bundle();
  b.peaks.clear();
  check_sound(roofline_svg(b));
  CHECK(has(roofline_svg(b), "peaks were not measured"));
  b = sample_bundle();
  b.shapes.front().flops = 0;
  check_sound(roofline_svg(b));
  b.task.work_flops.clear();
  CHECK(has(roofline_svg(b), "declares no work"));
  b.task.work_flops = b.task.work_bytes = "sum(lengths)";
  CHECK(has(roofline_svg(b), "hangs on the data"));
}

TEST_CASE("names in pictures are escaped") {
  auto b = sample_bundle();
  b.task.name = "</title><script>&";
  b.shapes.front().name = "\"><b>";
  check_sound(progress_svg(b));
  check_sound(roofline_svg(b));
  CHECK(has(progress_svg(b), "&lt;/title&gt;&lt;script&gt;&amp;"));
}

TEST_CASE("round numbers are 1, 2 or 5 with zeros") {
  CHECK(round_up_nicely(1.0) == doctest::Approx(1));
  CHECK(round_up_nicely(1.3) == doctest::Approx(2));
  CHECK(round_up_nicely(42) == doctest::Approx(50));
  CHECK(round_up_nicely(0.07) == doctest::Approx(0.1));
  CHECK(round_up_nicely(0) == doctest::Approx(1));
  CHECK(round_up_nicely(std::numeric_limits<double>::infinity()) == doctest::Approx(1));
}
