// The child with the highest upper confidence bound among many, found without looking at all of them.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <vector>

namespace kevolve {

// The figures of a child that its bound depends on.
struct bound_line {
  double value = 0.0;  // scaled to [0, 1]
  double visits = 1.0; // those under way among them
  double prior = 1.0;  // its weight among its siblings; 1: no reason to prefer or avoid it
  bool present = false;

  bool operator==(const bound_line&) const = default;
};

// The figures of the parent that all bounds depend on.
struct bound_point {
  double exploration = 1.0;
  double visits = 1.0;    // those under way among them
  double prior_sum = 0.0; // of all children; 0: the bounds are without priors
};

// Returns the abscissa of the bounds, which are straight lines over it.
double abscissa_of(const bound_point& at);
// Returns the upper confidence bound: q + c*sqrt(ln N / n), or with priors q + c*P*sqrt(N) / (1 + n).
double bound_of(const bound_line& line, const bound_point& at);

// A kinetic tournament: each match remembers up to which abscissae its winner wins, and is played again only beyond
// them. Source: Basch, Guibas and Hershberger, "Data structures for mobile data", SODA 1997. The winner is the one that
// bound_of() gives, the first of equals; matches that are close are played each time.
class bound_race {
public:
  static constexpr uint32_t nobody = std::numeric_limits<uint32_t>::max();
  using lines = std::function<bound_line(uint32_t)>; // by the child's place among its siblings

  // Takes note that the line of a child has changed.
  void touch(uint32_t place);
  // Takes note that every line may have changed.
  void touch_all();
  // Returns the place of the present child with the highest bound; nobody if none is present.
  uint32_t best(uint32_t children, const bound_point& at, const lines& of);

private:
  static constexpr uint32_t block = 8;
  static constexpr double infinite = std::numeric_limits<double>::infinity();
  struct match {
    uint32_t winner = nobody;
    double low = infinite; // of the abscissae that it wins at; above `high`: it is to be played
    double high = -infinite;
  };
  struct standing {
    uint32_t place = nobody;
    bound_line line;
    double bound = 0.0;
  };

  void play(size_t node, double x, const bound_point& at, const lines& of);
  void meet(match& m, standing& ahead, uint32_t other, double x, const bound_point& at, const lines& of) const;

  std::vector<match> matches_; // as a heap: 1 is the root, the blocks begin at blocks_
  size_t blocks_ = 0;
  uint32_t children_ = 0;
};

} // namespace kevolve
