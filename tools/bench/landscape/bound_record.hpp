// Adds the bottlenecks of its candidates to a record that was made without them. The candidates are made again from
// their moves; their measured times stay as they are.
#pragma once

#include "tools/bench/landscape/landscape.hpp"

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace kevolve::bench {

struct bounding_options {
  std::string bin;       // folder of the helper programs
  std::string task;      // task file
  std::string record;    // read, and written again after each ten profiles
  double budget_s = 2.0; // of a profile
  uint32_t most = 40;    // candidates of this call, evenly from the fastest to the slowest
  std::map<std::string, int64_t> sizes;
};

struct bounding_counts {
  uint64_t bounds = 0;   // candidates of the record with a bottleneck, after this call
  uint64_t named = 0;    // by this call
  uint64_t unnamed = 0;  // profiles that named none
  uint64_t changed = 0;  // the present generator makes other code of these moves, or none
  uint64_t profiles = 0; // of this call
};

// Returns the candidates to profile, the fastest first: those that passed, have code of their own and no bottleneck
// yet. Of more than `most`, it takes evenly from the fastest to the slowest.
std::vector<uint32_t> to_bound(const landscape& record, size_t most);
// Copies each bottleneck to the candidates with the same machine code, and returns how many candidates have one.
uint64_t share_bounds(landscape& record);
// Returns true if a source has the features that the record holds of its candidate.
bool is_same_code(const landscape_node& node, const std::string& source);

// Names the bounds. errc::unsupported: the reference is not read by the generator.
result<bounding_counts> name_bounds(const bounding_options& options);

} // namespace kevolve::bench
