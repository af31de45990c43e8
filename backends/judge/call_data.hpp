// The data of one call: every size resolved, and every input drawn from a secret seed. The same seed gives the same
// data. Each argument has its own random stream, so one argument can be varied alone.
#pragma once

#include "backends/judge/byte_buffer.hpp"
#include "backends/judge/geometry.hpp"
#include "backends/judge/own_values.hpp"
#include "backends/judge/value_choice.hpp"
#include "runtime/base/contract.hpp"
#include "runtime/base/result.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace kevolve {

// `adversarial` is no edge of an argument: such sets hold planned draws (adversarial_draws.hpp).
enum class edge_kind : uint8_t { none = 0, zeros, large, denormal, cancellation, special, adversarial };
std::string to_string(edge_kind k);
// Returns the edge kinds that some argument of the task asks for.
std::vector<edge_kind> edges_of(const contract& task);

struct draw_options {
  uint64_t seed = 0;
  // Seed of static arguments; the same for all calls that a candidate sees, in every edge case.
  uint64_t static_seed = 0;
  edge_kind edge = edge_kind::none; // applied to the arguments that list it
  uint32_t variant = 0;             // variant of the edge, for edges with several
  int varied = -1;                  // index of the argument whose stream is seeded differently; -1: none
  uint64_t variation = 0;
  uint64_t placement = 0;                // placement of the arrays, for lay_out()
  std::vector<value_choice> values = {}; // by argument, static ones aside; empty: as declared
  std::vector<bool> elsewhere = {};      // by argument: its values are drawn on a device, and stay empty; empty: none
  const own_values* own = nullptr;       // taken in place of drawn ones, static arguments aside; null: none
};

struct call_data {
  size_map sizes;                         // declared and derived sizes
  std::vector<array_geometry> geometries; // by argument
  // By argument: the storage with its stride gaps; empty for arguments that are not read.
  std::vector<byte_buffer> inputs;
  std::vector<uint64_t> by_value; // by argument: the bits of a size or scalar as the C call passes it

  size_t bytes() const;
};

// Draws the data of a call. errc::bad_input: a size cannot be resolved (a cycle, an unknown name, a bad shape), or own
// values have another number of bytes than the array.
result<call_data> draw_call(const contract& task, const shape_case& shape, const draw_options& options);

// Returns a call without array data: sizes, arrays without elements, and scalars in the middle of their range.
// errc::unsupported: a size depends on data.
result<call_data> outline_call(const contract& task, const shape_case& shape);

// Returns the sum of an integer array's elements, as `sum(argument)` in expressions.
int64_t sum_of_elements(const array_geometry& g, const byte_buffer& storage);

// Return the same task or data with f16 and f32 widened to f64, for calls of an oracle.
contract promoted(const contract& task);
call_data promoted(const contract& task, const call_data& data);

// Returns the bits of `x` as a by-value parameter of type t.
uint64_t by_value_bits(dtype t, double x);

} // namespace kevolve
