// The parts of a loop's range in which a condition holds whatever the loops inside do, and the loop cut there.
#pragma once

#include "backends/generators/transform/analysis/environment.hpp"
#include "backends/generators/transform/ir/build.hpp"

#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace kevolve::transform {

// The loops and locals between a loop and an expression somewhere in its body.
struct way {
  std::map<std::string, stmt> loops;   // around it, by index
  std::map<std::string, expr> defined; // locals on the way whose values can be written in their places
};

// Takes the way one statement further. `changed`: what the loop's body assigns to.
void pass(way& w, const stmt& s, const std::set<std::string>& changed);

// coefficient * index + the loops inside, each with its own factor + what is fixed meanwhile.
struct linear_form {
  int64_t coefficient = 0;
  std::map<std::string, int64_t> inner;
  expr fixed = make_literal(0);
};

// From the greatest of `first` on, before the least of `end`, of a loop's range.
struct middle_range {
  std::vector<expr> first;
  std::vector<expr> end;
};

class border_reader {
public:
  border_reader(const stmt& loop, const way& w);

  std::optional<linear_form> read(const expr& whole) const;
  // Returns true if the expression has one value during the whole loop.
  bool is_fixed(const expr& whole) const;
  // Narrows to where the condition holds, or where it does not; otherwise why it cannot.
  std::string narrow(middle_range& r, const expr& condition, bool holds) const;

private:
  std::string narrow_by(middle_range& r, linear_form least) const;

  const stmt& loop_;
  const way& way_;
  std::set<std::string> changed_;
  std::set<std::string> inside_;
};

// Returns the side of a choice that holds between the borders: the one that depends on the loop's index. If both do,
// the one that is chosen away from the bound its condition names. Nothing if none does. `is_count`: it says how often
// an inner loop runs; between the borders that is the same in all iterations.
std::optional<bool> inner_side(const expr& choice, const stmt& loop, const way& w, bool is_count);

// Returns why a loop cannot be split at borders: how it counts, or what it contains; empty: it can.
std::string why_not_cut(const stmt& loop);

// Returns the loop before the range (before_border), in it, where `inside` changes its body, and after it
// (after_border).
std::vector<stmt> cut_at(program& p, const stmt& loop, const middle_range& r,
                         const std::function<void(std::vector<stmt>&)>& inside);

// Locals with such values are written where they are used, as far as that is harmless.
void write_in_place(std::vector<stmt>& body, const std::set<std::string>& locals);

} // namespace kevolve::transform
