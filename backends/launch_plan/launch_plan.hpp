// A device candidate's launch as data: buffers, tensor maps and a sequence of kernels, in expressions over the task's
// size symbols. No candidate host code runs; our runner executes exactly this plan. Written as TOML beside the device
// source (README.md shows an example).
#pragma once

#include "runtime/base/contract.hpp"

#include <tl/expected.hpp>

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace kevolve {

// Device memory of the candidate's own. It is poisoned before each call. `zeroed` buffers are then cleared inside the
// timed window, since the candidate asks for that work.
struct scratch_buffer {
  std::string name;
  std::string bytes; // an expression
  bool zeroed = false;
};

// The arguments of cuTensorMapEncodeTiled(). The enumerations hold the driver's numbers.
struct tensor_map_spec {
  std::string name;
  std::string buffer; // array argument or scratch buffer
  std::string offset = "0";
  uint32_t type = 0;
  std::vector<std::string> dims;    // expressions for elements, innermost dimension first
  std::vector<std::string> strides; // expressions for bytes, from dims[1] on
  std::vector<std::string> box;     // expressions for elements
  std::vector<std::string> element_strides;
  uint32_t interleave = 0;
  uint32_t swizzle = 0;
  uint32_t l2_promotion = 0;
  uint32_t oob_fill = 0;
};

enum class parameter_kind : uint8_t {
  buffer = 0, // a device pointer, `value` bytes into the buffer `name`
  argument,   // a size or scalar of the task, passed as the task does
  number,     // `value` as type `type`
  null_pointer,
  tensor_map, // 128 bytes by value
};
constexpr parameter_kind last_value(parameter_kind) {
  return parameter_kind::tensor_map;
}

struct kernel_parameter {
  parameter_kind kind = parameter_kind::buffer;
  std::string name;
  std::string value = "0";
  dtype type = dtype::i64;
};

struct kernel_step {
  std::string name; // symbol in the cubin
  std::array<std::string, 3> grid{"1", "1", "1"};
  std::array<std::string, 3> block{"1", "1", "1"};
  std::array<std::string, 3> cluster{"1", "1", "1"};
  std::string shared = "0"; // dynamic shared memory in bytes, an expression
  bool cooperative = false;
  std::vector<kernel_parameter> parameters;
};

struct launch_plan {
  std::vector<std::pair<std::string, std::string>> sizes; // further symbols, in any order
  std::vector<scratch_buffer> scratch;
  std::vector<tensor_map_spec> tensor_maps;
  std::vector<kernel_step> kernels; // in launch order
};

struct plan_problem {
  int line = 0; // from 1; 0: the plan as a whole
  int column = 0;
  std::string key; // for example "kernel[0].grid[1]"
  std::string message;
  std::string about = {}; // the key concerned, if `key` names a limit instead
};
// Returns "3:8: kernel[0].block: …", one problem a line.
std::string to_string(const std::vector<plan_problem>& problems);

// Parses a plan and checks its names against the task. Returns every error of the text, in the order of the text.
tl::expected<launch_plan, std::vector<plan_problem>> parse_plan(std::string_view toml, const contract& task);

// Adds lines of the text to problems that were found later, by the keys that they concern.
std::vector<plan_problem> in_their_lines(std::vector<plan_problem> problems, std::string_view toml);

// Returns the driver's number for a word of a plan such as "f16" or "128b"; -1 if there is no such word.
int tensor_map_type(std::string_view word);
size_t tensor_map_element_bytes(uint32_t type); // 0: elements smaller than a byte

} // namespace kevolve
