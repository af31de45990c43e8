#include "tools/kevolve/dispatch/shortlist.hpp"

#include <doctest/doctest.h>

using namespace kevolve::dispatch;

TEST_CASE("a comparison with another kernel is multiplied by that kernel's own speed-up") {
  const auto s = chained_speedups({{1, 0, {2.0, 4.0}}, {2, 1, {1.5, 0.5}}, {3, 2, {2.0, 2.0}}});
  CHECK(s == std::vector<std::vector<double>>{{2.0, 4.0}, {3.0, 2.0}, {6.0, 4.0}});
}

TEST_CASE("a chain with a missing link or a cycle estimates nothing") {
  CHECK(chained_speedups({{2, 1, {1.5}}}) == std::vector<std::vector<double>>{{0.0}});
  CHECK(chained_speedups({{1, 2, {1.5}}, {2, 1, {1.5}}}) == std::vector<std::vector<double>>{{0.0}, {0.0}});
}

TEST_CASE("the best comes first, then the leaders of each shape") {
  const std::vector<std::vector<double>> s{{2.0, 2.0}, {5.0, 1.1}, {4.0, 4.0}, {1.5, 3.0}};
  CHECK(shortlist(s, 0, 8) == std::vector<size_t>{0, 1, 2, 3});
  CHECK(shortlist(s, 0, 3) == std::vector<size_t>{0, 1, 2});
  CHECK(shortlist(s, 0, 1) == std::vector<size_t>{0});
}

TEST_CASE("kernels not faster than the reference at any shape are not judged") {
  CHECK(shortlist({{2.0, 2.0}, {1.0, 0.9}, {0.0, 0.0}}, 0, 8) == std::vector<size_t>{0});
}
