// Labels of loops, whiles and branches: which one of the reference it was, and what moves have made of it since.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace kevolve::transform {

// The part that a loop plays among those that a move has made of one. Each is printed as a letter.
enum class loop_role : uint8_t {
  tiles,           // t: runs over the tiles
  rest,            // r: runs what remains after whole blocks
  second_part,     // c: the second part of an index set
  second_body,     // d: runs over the statements that were split off
  blocks,          // b: runs over blocks of tests
  tests,           // q: makes the tests of a block
  hits,            // w: runs the iterations whose tests hold, or works up to the place that was found
  packing,         // p: fills a panel
  unpacked,        // u: runs without panel or buffer
  streamed_blocks, // o: runs over the blocks of streamed sums
  scaling,         // s: scales streamed sums
  apart,           // n: runs one copy where copies side by side do not overlap
  before_border,   // h: runs before the border
  after_border,    // e: runs after the border
};

// A label such as "L1tr": the reference's loop L1, its tiles, what remains of these. Copies of a statement share it.
class loop_label {
public:
  loop_label() = default;
  // Reads the printed form; a text that is none has no roles.
  explicit loop_label(std::string_view printed);

  bool empty() const { return base_.empty(); }
  // Returns the label of the reference's statement: "L1".
  const std::string& base() const { return base_; }
  bool is_original() const { return roles_.empty(); }
  bool is_while() const { return base_.starts_with('W'); }
  // Tells if that is the role that the last move gave it.
  bool is(loop_role r) const { return !roles_.empty() && roles_.back() == r; }
  bool is_tile_of_tiles() const;
  loop_label with(loop_role r) const;
  loop_label without_last_role() const;
  // Returns the same loop, run as a while.
  loop_label as_while() const;

  std::string text() const;
  operator std::string() const { return text(); }
  bool operator==(const loop_label&) const = default;

private:
  std::string base_;
  std::vector<loop_role> roles_;
};

inline std::string operator+(const loop_label& a, std::string_view b) {
  return a.text().append(b);
}
inline std::string operator+(std::string_view a, const loop_label& b) {
  return std::string{a} + b.text();
}

} // namespace kevolve::transform
