// Loops replaced by what a move makes of them, and loops divided into whole blocks and the rest.
#pragma once

#include "backends/generators/transform/analysis/environment.hpp"
#include "backends/generators/transform/ir/program.hpp"
#include "runtime/base/result.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace kevolve::transform {

constexpr size_t weight_limit = 10'000; // nodes of a program; beyond, a candidate takes longer to compile than to judge

// Returns the loop cut after the last whole group of `factor` iterations: first the main part, whose step is `factor`
// times as long and whose body is untouched, then the rest (absent if known to be empty).
result<std::vector<stmt>> divide(const stmt& loop, int64_t factor);

using loop_rewrite = std::function<result<std::vector<stmt>>(const stmt&)>;
// Replaces every loop of that label by what `f` makes of it, which holds its body `copies` more times at most.
result<void> replace(program& p, const loop_label& label, int64_t copies, const loop_rewrite& f);

using reassociation = std::function<result<std::vector<stmt>>(program&, const stmt&)>;
// Replaces every loop of that label by what `f` makes of it, where `f` changes how floating values round. It declines
// if an output must be exact, or if the loop is in vectors or may change anything. A program that it declines stays as
// is.
result<void> reassociate_in(program& p, const loop_label& label, const environment& env, const reassociation& f);

// The text of a declaration that makes a panel, of which only a few fit on the stack.
inline constexpr const char* panel_mark = "panel";
bool is_panel(const stmt& s);
// Returns the nest for what does not fit into a panel or buffer; no other move is worth its code there.
stmt as_it_was(const stmt& loop);

} // namespace kevolve::transform
