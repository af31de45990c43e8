// Values that arguments have outside of any draw: the weights of the module that a task was made from.
#pragma once

#include "backends/judge/byte_buffer.hpp"
#include "runtime/base/contract.hpp"
#include "runtime/base/result.hpp"

#include <cstdint>
#include <map>
#include <string>

namespace kevolve {

// By the argument's name the compact, row-major bytes of its elements.
using own_values = std::map<std::string, std::string>;

// Returns the values of an argument; null if it has none. Static arguments have none: they are the same in every call
// that a candidate sees, and all other calls draw them.
const std::string* values_of(const own_values* all, const argument& a);

// Returns the values as an array of `count` elements. errc::bad_input: the number of bytes is another.
result<byte_buffer> copied_values(const argument& a, const std::string& values, int64_t count);

// Returns the names of the arguments that have values, in the task's order: "w, b"; empty if none has.
std::string names_of(const own_values& all, const contract& task);

} // namespace kevolve
