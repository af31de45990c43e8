// Fills one array by its distribution: normal, uniform, integer, sorted_unique, lengths, offsets, sample_of.
#pragma once

#include "backends/judge/byte_buffer.hpp"
#include "backends/judge/call_data.hpp"
#include "backends/judge/random_stream.hpp"

namespace kevolve {

// An array drawn earlier that a distribution refers to (`of`), compact, in logical order.
struct source_array {
  dtype type = dtype::i64;
  const void* data = nullptr;
  int64_t count = 0;
};

// An edge case as applied to one array. Large values have variants: everywhere, scattered, one in each row, and several
// in a few rows, against kernels that infer all rows from some. The last variants enlarge every value by the same
// factor, 4 to 256, since errors may show only between ordinary values and infinity.
struct edge_draw {
  edge_kind kind = edge_kind::none;
  uint32_t variant = 0;
  int64_t row = 0; // number of elements along the last dimension
};
inline constexpr uint32_t first_scaled_variant = 6;
inline constexpr uint32_t large_variants = 10;

// Returns a large value for the type whose squares and sums over thousands of terms stay finite.
double large_scale(dtype t);

// The bounds of `count` sorted keys: the declared ones if they contain enough values, else from 0 on.
struct key_bounds {
  int64_t low = 0;
  int64_t high = 0; // high - low + 1 < count if there are not so many values
};
key_bounds bounds_of_keys(const argument& a, int64_t count);
// Returns true if nothing bounds the keys: any of the type may then come.
bool has_free_keys(const argument& a);
// The same for a table that may reach below zero and beyond 2^53, where the task declares no bounds.
key_bounds widest_bounds_of_keys(const argument& a, int64_t count);

// Returns `count` compact elements of type a.type. `source` is empty unless the distribution refers to one.
// errc::bad_input: the distribution does not exist or does not fit the type.
result<byte_buffer> fill_array(const argument& a, int64_t count, const edge_draw& edge, const source_array& source,
                               random_stream random);

} // namespace kevolve
