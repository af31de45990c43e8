// How a device candidate wants to be launched, as data: buffers, tensor maps and a sequence of kernels, in
// expressions over the task's size symbols. No candidate host code runs; our runner does what stands here and
// nothing else. Written as TOML beside the device source (README.md shows one).
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

// Device memory of the candidate's own. Poisoned before each call; `zeroed` buffers are then cleared inside the
// timed window, since that is work the candidate asks for.
struct scratch_buffer {
  std::string name;
  std::string bytes; // expression
  bool zeroed = false;
};

// What cuTensorMapEncodeTiled() is given; the enumerations are the driver's numbers.
struct tensor_map_spec {
  std::string name;
  std::string buffer; // array argument or scratch
  std::string offset = "0";
  uint32_t type = 0;
  std::vector<std::string> dims;    // elements, innermost first
  std::vector<std::string> strides; // bytes, of dims[1] and on
  std::vector<std::string> box;     // elements
  std::vector<std::string> element_strides;
  uint32_t interleave = 0;
  uint32_t swizzle = 0;
  uint32_t l2_promotion = 0;
  uint32_t oob_fill = 0;
};

enum class parameter_kind : uint8_t {
  buffer = 0, // a device pointer, `value` bytes into the buffer `name`
  argument,   // a size or scalar of the task as the task passes it
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
  std::string shared = "0"; // dynamic, bytes
  bool cooperative = false;
  std::vector<kernel_parameter> parameters;
};

struct launch_plan {
  std::vector<std::pair<std::string, std::string>> sizes; // further symbols, in any order
  std::vector<scratch_buffer> scratch;
  std::vector<tensor_map_spec> tensor_maps;
  std::vector<kernel_step> kernels; // in the order of launch
};

struct plan_problem {
  int line = 0; // from 1; 0: the plan as a whole
  int column = 0;
  std::string key; // "kernel[0].grid[1]"
  std::string message;
  std::string about = {}; // the key it is about, where `key` names a limit instead
};
// "3:8: kernel[0].block: …", one a line.
std::string to_string(const std::vector<plan_problem>& problems);

// Every error of the text at once, in the order of the text. Names are checked against the task.
tl::expected<launch_plan, std::vector<plan_problem>> parse_plan(std::string_view toml, const contract& task);

// The lines of problems that were found in what the text says, by the keys that they are about.
std::vector<plan_problem> in_their_lines(std::vector<plan_problem> problems, std::string_view toml);

// The driver's numbers for the words a plan uses: "f16", "128b"; -1 if there is no such word.
int tensor_map_type(std::string_view word);
size_t tensor_map_element_bytes(uint32_t type); // 0: packed below a byte

} // namespace kevolve
