// The steps of normalise(), see ast.hpp; private to normalise*.cpp.
#pragma once

#include "backends/generators/transform/ir/build.hpp"

#include <string>
#include <vector>

namespace kevolve::transform {

using stmt_list = std::vector<stmt>;

// Splices plain blocks into their list: names are unique, so scopes carry no meaning.
void flatten(stmt_list& body);
// Returns true if the body cannot change the expression: no calls, nothing assigned, no array that is stored to.
bool invariant(const expr& e, const stmt_list& body);
size_t count_mentions(const stmt_list& body, const std::string& name);

// Variables used for one thing after the other become one for each.
void part_variables(program& p, stmt_list& body);

// Makes `while (i < n) { …; i += c }` a counted loop wherever it is one, and `continue` a branch.
void count_loops(program& p, stmt_list& body);
// Return true if the list continues the loop that it is the body of, or leaves that, or the function, other than
// through the condition.
bool has_next(const stmt_list& body);
bool has_exit(const stmt_list& body, bool nested = false);
// Returns true if no more than breaks leave the list early. A counted loop that breaks has `early` for its `op`, until
// spell_early_ends().
inline constexpr const char* early = "breaks";
bool only_breaks(const stmt_list& body);
// Returns true if what follows in the list, or comes again around it, asks for the variable's value behind body[at].
bool is_used_again(const stmt_list& body, size_t at, const std::string& name);
// Returns true if i is what e is, once that has been assigned to it.
bool keeps_value(const expr& e, const ctype& as);
// Returns the position at which the variable gets the value it has at `at`; `at` itself if there is no such place.
size_t start_of(const stmt_list& body, size_t at, const std::string& name);
// Returns true if it is made of sizes and numbers as arrays have them.
bool known_to_be_small(const program& p, const expr& e);
// body[at] is a while that ends with that step down, of the index on the condition's right: a loop that counts up, in
// whose body the index is what it was less the rounds; false if it is none.
bool count_up(program& p, stmt_list& body, size_t at, const stmt& step, const expr& condition);
// Does the same of a while that begins with it: `while (k > 0) { k -= 1; … } k -= 1;`, as `while (k-- > 0)` is read.
bool count_taken(program& p, stmt_list& body, size_t at);
// body[at] is a while that a pointer counts, or an index that moves on in its midst: a loop with a count of its own.
bool count_walk(program& p, stmt_list& body, size_t at);
// memset with 0 and memcpy of whole elements become the loops that they are.
void spell_copies(program& p, stmt_list& body);
// Rewrites `y[o] = …; o += 4;` in a counted loop: o is written as what it was plus 4 times the rounds.
void write_inductions(program& p, stmt_list& body);
// Counted loops that break become whiles again.
void spell_early_ends(program& p, stmt_list& body);
// Where x runs below n, `(x + 1) % n` is `x == n - 1 ? 0 : x + 1`.
void unwrap_borders(stmt_list& body);
// Drops variables that are set but never read, as counted loops leave them behind.
void drop_unread(stmt_list& all);
// Forwards `int count = (int)n;`, where neither ever changes: n is written in its place.
void forward_copies(const program& p, stmt_list& all);
// Forwards `const int64_t at = (i * h + j) * w + k;`, where nothing of it changes: written where elements stand at it.
void forward_places(const program& p, stmt_list& all);
// Forwards `const float *row = x + i * cols;` never reassigned: row[j] becomes x[i * cols + j].
void forward_pointers(program& p, stmt_list& body);
// Rewrites C89 style `float t; for (…) { t = …; }`: moves the declaration beside its first use.
void sink_declarations(stmt_list& body);
// Does the same for arrays that each iteration fills before it reads them.
void sink_arrays(stmt_list& body);
// Rewrites `if (x[i] > x[at]) at = i;`: x[at] gets a variable.
void keep_best(program& p, stmt_list& body);

} // namespace kevolve::transform
