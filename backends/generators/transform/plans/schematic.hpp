// Sequences of moves with open places: _1 stands for a loop, _w1 for a while, _b1 for a branch, _a1 for an array, and
// _1t for the tiles of that loop. The pattern describes each place, so that one like it can be found in another
// program.
#pragma once

#include "backends/generator.hpp"
#include "backends/generators/transform/moves/registry.hpp"

#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace kevolve::transform {

// The moves of two genomes: those that both have, in the child's order, and those that the child alone has.
struct genome_difference {
  genome common;
  genome added;
};
genome_difference difference_of(const genome& parent, const genome& child);

// Returns the moves with places in order of their first use, and the places' pattern in the program before them.
distilled_moves schematic_of(const genome& moves, const program& before, const environment& env);

// A place of a program: "L1" with its words.
struct described_place {
  std::string label; // of the reference's statement, or an array's name
  std::vector<std::string> words;
};
// Returns the places of one kind ("" loops, "w" whiles, "b" branches, "a" arrays) in the order of the program.
std::vector<described_place> places_of(const program& p, const environment& env, const std::string& kind);
// Returns "vectors" if a loop runs in vectors already, else "scalar".
std::string stage_of(const program& p);
// Returns the pairs of labels of which a statement of the first stands in one of the second.
std::set<std::pair<std::string, std::string>> nested_places(const program& p);

// The pattern as values.
struct place_pattern {
  std::string stage;
  std::map<std::string, std::vector<std::string>> words;   // by place: "_1"
  std::vector<std::pair<std::string, std::string>> inside; // the first in the second
};
place_pattern parse_pattern(const std::string& text);

// An argument as a place and the letters of the part that it names; the place is empty where the argument is none.
struct open_place {
  std::string place; // "_1"
  std::string kind;  // "", "w", "b", "a"
  std::string part;  // "t"
};
open_place read_place(const std::string& argument);

} // namespace kevolve::transform
