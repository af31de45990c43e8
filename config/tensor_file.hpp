// Reads files in the format of safetensors: the length of a JSON header as a little-endian u64, the header, the data.
#pragma once

#include "runtime/base/result.hpp"

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace kevolve {

struct stored_tensor {
  std::string type; // as tasks have it, "f32"; of types that tasks do not have, as the file has it
  std::vector<int64_t> shape;
  std::string_view bytes; // compact and row-major, inside the file's bytes
};

// Returns the tensors of a file by name. They refer to `file`. errc::bad_input says what is wrong with it.
result<std::map<std::string, stored_tensor>> read_tensors(std::string_view file);

} // namespace kevolve
