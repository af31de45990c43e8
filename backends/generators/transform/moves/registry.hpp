// All moves there are, and what is asked of them by name. Each is defined in a file of its own; registry.def lists
// them.
#pragma once

#include "backends/generators/transform/moves/descriptor.hpp"

#include <span>
#include <string_view>

namespace kevolve::transform {

namespace moves {

#define KEVOLVE_MOVE(name) extern const move_descriptor name;
#include "backends/generators/transform/moves/registry.def"
#undef KEVOLVE_MOVE

} // namespace moves

std::span<const move_descriptor* const> all_moves();
// Returns the move of that name, or of that former name; null: there is none.
const move_descriptor* find_move(std::string_view name);

move made(const move_descriptor& what, std::vector<std::string> args);
bool is(const move& m, const move_descriptor& what);

struct choice {
  move what;
  double weight = 1.0;
};

// Returns errc::unsupported with the reason if the move does not apply; the program is then as it was. errc::bad_input:
// there is no such move.
result<void> apply(program& p, const move& m, const environment& env);
// Returns every move that looks applicable, with sensible parameters for this hardware; `only`: those of one kind.
std::vector<choice> possible(const program& p, const environment& env, const move_descriptor* only = nullptr);
// Returns other parameters for the same kind of move on the same label.
std::vector<move> variants(const move& m, const environment& env);

} // namespace kevolve::transform
