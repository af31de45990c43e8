// Tables of the closed sets that names in files and records choose from: generators, languages, selection policies.
// Code that depends on what a kind can do asks these tables. docs/architecture.md says how to add a kind.
#pragma once

#include <array>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace kevolve {

struct generator_kind {
  std::string_view name; // in campaign files and records
  std::string_view description;
  bool asks_model = false;         // proposes what is answered to a prompt
  bool calls_providers = false;    // asks over the network, which costs money
  bool waits_for_people = false;   // its time says nothing about its worth
  bool reads_reference_c = false;  // rewrites the syntax tree of a reference in C
  bool varies_others_only = false; // proposes nothing where no other generator does
  bool has_moves = false;          // its candidates are lists of moves, and skills are, too
};

std::span<const generator_kind> generator_kinds();
// Returns the kind of that name; for an unknown name a kind without a name that can do nothing.
const generator_kind& find_generator_kind(std::string_view name);

// The language that a C compiler takes a source for. `none`: no C compiler reads it.
enum class c_dialect { none = 0, c, cpp };

struct language_kind {
  std::string_view name;      // in task files and records
  std::string_view extension; // of a source file, with its dot
  std::string_view fence;     // info string of a fence in Markdown
  bool of_candidates = true;
  bool of_references = true;
  c_dialect dialect = c_dialect::none;
  bool runs_in_framework = false;                        // a Python module: it runs where its GPU is, alone
  std::array<std::string_view, 2> other_extensions = {}; // accepted, too
};

std::span<const language_kind> language_kinds();
// Returns the language of that name; for an unknown name a language without a name, of no dialect.
const language_kind& find_language(std::string_view name);
// Returns true for C and C++: a function with C linkage that the judge's own tool chain compiles.
bool is_native(std::string_view language);
bool is_cpp(std::string_view language);
// Returns the language of a candidate in a file of that name; a language without a name if no language has its ending.
const language_kind& language_of_file(std::string_view path);

// The policies that a campaign file may name, from policy_kinds.def.
std::span<const std::string_view> policy_kinds();

// The axes of behaviour that a campaign file may name. actors/search/axes.cpp describes each, in this order.
inline constexpr auto behaviour_axis_kinds =
    std::to_array<std::string_view>({"vector_bits", "code_bytes", "nests_changed", "bound"});

std::vector<std::string> generator_kind_names();
std::vector<std::string> candidate_language_names();
std::vector<std::string> reference_language_names();
std::vector<std::string> policy_kind_names();
std::vector<std::string> behaviour_axis_names();

// Joins names for a message: "c, cpp, cuda".
std::string comma_list(const std::vector<std::string>& names);

} // namespace kevolve
