// Fills one array by its rule: normal, uniform, integer, sorted_unique, lengths, offsets, sample_of.
#pragma once

#include "backends/judging/byte_buffer.hpp"
#include "backends/judging/call_data.hpp"
#include "backends/judging/random_stream.hpp"

namespace kevolve {

// An array already drawn that a rule refers to (`of`), compact, in logical order.
struct source_array {
  dtype type = dtype::i64;
  const void* data = nullptr;
  int64_t count = 0;
};

// `count` elements of type a.type, compact. `source` is empty unless the rule names one.
// errc::bad_input for a distribution that does not exist or does not fit the type.
result<byte_buffer> fill_array(const argument& a, int64_t count, edge_kind edge, const source_array& source,
                               random_stream random);

} // namespace kevolve
