// The data of one call: every size resolved and every input drawn from a secret seed. The same seed gives
// the same data; each argument has a stream of its own, so one can be varied alone.
#pragma once

#include "backends/judge/byte_buffer.hpp"
#include "backends/judge/geometry.hpp"
#include "runtime/base/contract.hpp"
#include "runtime/base/result.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace kevolve {

enum class edge_kind : uint8_t { none = 0, zeros, large, denormal, cancellation, special };
std::string to_string(edge_kind k);
// The edge kinds that some argument of the task asks for.
std::vector<edge_kind> edges_of(const contract& task);

struct draw_options {
  uint64_t seed = 0;
  uint64_t static_seed = 0; // of static arguments: the same for all calls that a candidate sees, whatever their edge
  edge_kind edge = edge_kind::none; // applied to the arguments that list it
  uint32_t variant = 0;             // of the edge, where it has several
  int varied = -1;                  // argument index whose stream is seeded differently
  uint64_t variation = 0;
  uint64_t placement = 0; // of the arrays: lay_out()
};

struct call_data {
  size_map sizes;                         // declared and derived
  std::vector<array_geometry> geometries; // by argument
  std::vector<byte_buffer> inputs;        // by argument: the storage image, stride gaps included; empty unless read
  std::vector<uint64_t> by_value;         // by argument: bits of a size or scalar as the C call passes it

  size_t bytes() const;
};

// errc::bad_input if a size cannot be resolved (a cycle, an unknown name, a bad shape).
result<call_data> draw_call(const contract& task, const shape_case& shape, const draw_options& options);

// The same without data: sizes, arrays without their elements, and scalars of the middle of their range.
// errc::unsupported where a size hangs on data.
result<call_data> outline_call(const contract& task, const shape_case& shape);

// The sum over an integer array's elements, as `sum(argument)` in expressions means it.
int64_t sum_of_elements(const array_geometry& g, const byte_buffer& storage);

// The same task and data with f16 and f32 widened to f64: what an oracle object is called with.
contract promoted(const contract& task);
call_data promoted(const contract& task, const call_data& data);

// Bits of `x` as a by-value parameter of type t.
uint64_t by_value_bits(dtype t, double x);

} // namespace kevolve
