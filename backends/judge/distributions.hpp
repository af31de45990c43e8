// Fills one array by its rule: normal, uniform, integer, sorted_unique, lengths, offsets, sample_of.
#pragma once

#include "backends/judge/byte_buffer.hpp"
#include "backends/judge/call_data.hpp"
#include "backends/judge/random_stream.hpp"

namespace kevolve {

// An array already drawn that a rule refers to (`of`), compact, in logical order.
struct source_array {
  dtype type = dtype::i64;
  const void* data = nullptr;
  int64_t count = 0;
};

// An edge as it applies to one array. Large values come in variants: everywhere; scattered; one in each row; and,
// several times, in few of the rows, for who looks at some rows to learn about all. The last ones have every value
// larger alike, 4 to 256 times: what is right for ordinary values and for infinity may be wrong between.
struct edge_draw {
  edge_kind kind = edge_kind::none;
  uint32_t variant = 0;
  int64_t row = 0; // elements along the last dimension
};
inline constexpr uint32_t first_scaled_variant = 6;
inline constexpr uint32_t large_variants = 10;

// `count` elements of type a.type, compact. `source` is empty unless the rule names one.
// errc::bad_input for a distribution that does not exist or does not fit the type.
result<byte_buffer> fill_array(const argument& a, int64_t count, const edge_draw& edge, const source_array& source,
                               random_stream random);

} // namespace kevolve
