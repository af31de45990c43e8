// The moves: each rewrites every loop or branch with the given label, or declines with the reason.
#pragma once

#include "backends/generators/transform/analysis/analysis.hpp"
#include "backends/generators/transform/ir/program.hpp"
#include "runtime/base/contract.hpp"
#include "runtime/base/result.hpp"

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace kevolve::transform {

// "tile(L1,64)"
struct move {
  std::string name;
  std::vector<std::string> args;

  bool operator==(const move&) const = default;
};

std::string to_string(const move& m);
std::string to_string(const std::vector<move>& genome); // "tile(L1,64); flags(Ofast)"
// Nothing if the text is no genome.
std::optional<std::vector<move>> parse_genome(std::string_view text);

// What the moves may rely on; lives as long as one proposal.
struct environment {
  const contract& task;
  const std::map<std::string, int64_t>& hardware;
  const std::vector<std::string>& flag_menu;
  const std::string& baseline_flags;
  std::map<std::string, loop_facts> facts;
};

struct choice {
  move what;
  double weight = 1.0;
};

// errc::unsupported with the reason if the move does not apply; the program is then as it was.
result<void> apply(program& p, const move& m, const environment& env);

// Every move that looks applicable, with sensible parameters for this hardware.
std::vector<choice> possible(const program& p, const environment& env);
// Sequences that belong together, for the nests of the reference that ask for them: a list for each idea.
std::vector<std::vector<std::vector<move>>> plans(const program& reference, const environment& env);
// Other parameters for the same kind of move on the same label.
std::vector<move> variants(const move& m, const environment& env);

// One function per move, as listed in README.md.
result<void> tile(program& p, const std::string& loop, int64_t size);
result<void> interchange(program& p, const std::string& outer, const std::string& inner, const environment& env);
result<void> hint(program& p, const std::string& loop, int64_t width, int64_t interleave, const environment& env);
result<void> run_parallel(program& p, const std::string& loop, const environment& env);
result<void> cut(program& p, const std::string& loop, const std::string& branch);
result<void> jam(program& p, const std::string& loop, int64_t factor, const environment& env);
result<void> unroll(program& p, const std::string& loop, int64_t factor);
// Parts of a sum of signed numbers may leave the type that the whole stays in: they become unsigned, and wrap.
void sum_unsigned(stmt& l, std::vector<reduction>& sums);
result<void> split(program& p, const std::string& loop, int64_t count, const environment& env);
result<void> vectorise(program& p, const std::string& loop, int64_t lanes, const environment& env);
result<void> mask(program& p, const std::string& loop, const environment& env);
result<void> select(program& p, const std::string& branch);
result<void> hold(program& p, const std::string& loop, const environment& env);
result<void> fast_math(program& p, const environment& env);
result<void> skip(program& p, const std::string& loop, int64_t count, const environment& env);
result<void> seek(program& p, const std::string& loop, int64_t lanes, const environment& env);
result<void> narrow(program& p, const std::string& loop, int64_t width);
result<void> halve(program& p, const std::string& search);
result<void> fission(program& p, const std::string& loop, int64_t first_part, const environment& env);
result<void> coalesce(program& p, const std::string& loop, const environment& env);
result<void> peel(program& p, const std::string& loop, const std::string& branch);
result<void> clip(program& p, const std::string& loop);
result<void> finish(program& p, const std::string& loop, const contract& task);
result<void> first(program& p, const std::string& loop, int64_t block, const contract& task);
result<void> fuse(program& p, const std::string& first, const std::string& second, const environment& env);
result<void> recompute(program& p, const std::string& first, const std::string& second, const environment& env);
result<void> online(program& p, const std::string& largest, const std::string& sums, int64_t count,
                    const environment& env);
result<void> pack(program& p, const std::string& loop, const std::string& array, const std::string& innermost,
                  const environment& env);
result<void> buffer(program& p, const std::string& loop, const std::string& array, const environment& env);
result<void> transpose(program& p, const std::string& array);
result<void> stream(program& p, const std::string& loop);
result<void> prefetch(program& p, const std::string& loop, int64_t distance, const environment& env);

// Shared by the moves.
constexpr size_t weight_limit = 10'000; // nodes of a program; beyond, a candidate takes longer to compile than to judge
std::string base_label(const std::string& label); // of the reference's loop: "L1" for "L1tr"
const loop_facts& facts_of(const environment& env, const std::string& label);
// The loop cut after the last whole group of `factor` iterations: first the main part, whose step is `factor`
// times as long and whose body is untouched, then the rest under label + "r" (absent if known to be empty).
result<std::vector<stmt>> divide(const stmt& loop, int64_t factor);
// Replaces every loop of that label by what `f` makes of it, which holds its body `copies` more times at most.
using loop_rewrite = std::function<result<std::vector<stmt>>(const stmt&)>;
result<void> replace(program& p, const std::string& label, int64_t copies, const loop_rewrite& f);
// The start value for one more partial result, and the statement that folds it in.
expr reduction_start(const reduction& r);
stmt reduction_join(const reduction& r, expr part);
// Why the loop may change the array, which is none of the caller's that stand alone or is written; empty: it does not.
std::string why_changed(const program& p, const stmt& loop, const std::string& array, const environment& env);
// The arrays that the statements write; one without a name may be any.
std::set<std::string> arrays_written(const std::vector<stmt>& body);
// Whether evaluating it does nothing but compute and load from arrays.
bool only_computes(const expr& whole);
// Whether the array overlaps no other: a local one, or an argument that does not alias.
bool keeps_apart(const program& p, const std::string& array, const environment& env);
// Whether every mention of the array is the base of a subscript: no pointer to it goes elsewhere.
bool is_only_indexed(const std::vector<stmt>& body, const std::string& array);
// The expression with what the body's first `before` statements declare for good written in its place.
expr with_locals(expr e, const std::vector<stmt>& body, size_t before);
// Whether `recompute` and `online` may find something in two loops that follow each other.
bool may_recompute(const stmt& first, const stmt& second);
bool may_stream_sums(const stmt& largest, const stmt& sums);
// Whether `coalesce` finds something in the loop.
bool copies_segments(const stmt& loop);
// Whether `peel` may open the branch.
bool has_borders(const stmt& loop, const std::string& branch);
// Whether the while ends where something holds, which `first` would ask of many places at once.
bool looks_for_a_place(const stmt& loop);
// Whether the loop gives up early, as `finish` would not; each of the program's loops that can, finished.
bool may_finish(const stmt& loop);
// `block`: searches for a first place, too, by that many places at once (0: all); none: they are left.
std::vector<move> finish_all(program& p, const contract& task, std::optional<int64_t> block = {});
// Whether `clip` finds a choice in the loop that its index decides.
bool has_clamps(const stmt& loop);
// What `pack` could do before the loop: an array whose part read in an iteration is the same in all of them.
struct packing {
  std::string array;
  std::string innermost; // label of the loop that runs along the panel's rows
  bool bounded = false;  // some loop that chooses the part runs over a tile
  bool straight = false; // the array's neighbours stay neighbours
};
// Whether it declares a panel of a kind that only a few of fit on the stack.
bool is_panel(const stmt& s);
// The nest for what does not fit into a panel or buffer; no other move is worth its code there.
stmt as_it_was(const stmt& loop);
std::vector<packing> packings(const program& p, const stmt& loop, const environment& env);
// The arrays of which `buffer` can keep the loop's rows.
std::vector<std::string> bufferable(const program& p, const stmt& loop, const environment& env);
// The arrays that `transpose` can turn.
std::vector<std::string> transposable(const program& p);
// Whether `stream` finds something in the loop; whether stores leave it that only a fence after it completes.
bool may_stream(const stmt& loop);
// Whether the loop keeps 64-bit sums of numbers so small that blocks of it can do with 32.
bool counts(const stmt& loop, int64_t width);
bool streams_past(const stmt& loop);
// Whether loops divide by what they leave alone, so that `math` may multiply instead.
bool divides_by_fixed(const program& p);
// Whether `prefetch` finds reads in the loop that the processor would not foresee.
bool may_prefetch(const program& p, const stmt& loop, const environment& env);
// Whether values of this kind may be summed in another order: yes unless every output must be exact.
bool may_reassociate(const environment& env, scalar_kind k);

} // namespace kevolve::transform
