// The table entry of a move: everything that the search and the reader of genomes know of it.
#pragma once

#include "backends/generators/transform/analysis/environment.hpp"
#include "backends/generators/transform/moves/move.hpp"
#include "runtime/base/result.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace kevolve::transform {

class candidate_list;
struct site;

enum class argument_kind : uint8_t { none, loop, branch, array, number, word };

struct argument_rule {
  argument_kind kind = argument_kind::none;
  int64_t least = 1; // of numbers
  int64_t most = int64_t{1} << 20;
  bool power_of_two = false;
  bool may_be_left_out = false;
};

inline constexpr argument_rule a_loop{argument_kind::loop};
inline constexpr argument_rule a_branch{argument_kind::branch};
inline constexpr argument_rule an_array{argument_kind::array};
inline constexpr argument_rule a_word{argument_kind::word};
constexpr argument_rule a_number(int64_t least = 1, int64_t most = int64_t{1} << 20) {
  return {argument_kind::number, least, most};
}

// The arguments of one move, checked against its rules.
class move_arguments {
public:
  explicit move_arguments(const std::vector<std::string>& texts) : texts_(texts) {}
  size_t size() const { return texts_.size(); }
  const std::string& operator[](size_t i) const { return texts_[i]; }
  int64_t number(size_t i) const;
  loop_label label(size_t i) const { return loop_label{texts_[i]}; }

private:
  const std::vector<std::string>& texts_;
};

// The places that the search asks a move about. They are every statement with a label, and every loop, once a label.
// They are also two loops that follow each other over the same range, two loops of one list, and the whole program.
enum class site_kind : uint8_t { statement, loop, neighbours, pair, program };

// The part of a candidate that the move changes: statements, how parameters are declared, or nothing but how the
// candidate is built.
enum class move_effect : uint8_t { statements, declarations, build };

struct move_descriptor {
  std::string_view name;
  std::string_view former_name = {}; // read in stored genomes, never written
  std::array<argument_rule, 3> takes = {};
  bool goes_by_arrays = false; // by arrays' names, where no loop's independence has to be known
  bool stands_last = false;    // its place in the genome does not matter
  move_effect effect = move_effect::statements;
  site_kind where = site_kind::loop;
  // Returns errc::unsupported with the reason if the move does not apply.
  result<void> (*apply)(program& p, const move_arguments& a, const environment& env) = nullptr;
  // Adds the moves of this kind that look applicable at the site, with weights.
  void (*candidates)(const site& at, candidate_list& out) = nullptr;
  // Returns the same move with other parameters; null: it has none.
  std::vector<move> (*variants)(const move& m, const environment& env) = nullptr;

  bool fits(const std::vector<std::string>& args) const;
};

} // namespace kevolve::transform
