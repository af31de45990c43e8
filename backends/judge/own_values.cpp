#include "backends/judge/own_values.hpp"

#include <cstring>

namespace kevolve {

const std::string* values_of(const own_values* all, const argument& a) {
  if (all == nullptr || a.is_static)
    return nullptr;
  const auto found = all->find(a.name);
  return found == all->end() ? nullptr : &found->second;
}

result<byte_buffer> copied_values(const argument& a, const std::string& values, int64_t count) {
  const auto bytes = static_cast<size_t>(count) * size_bytes(a.type);
  if (values.size() != bytes)
    return fail(errc::bad_input, "argument '" + a.name + "': its own values have " + std::to_string(values.size())
                                     + " bytes, and the array has " + std::to_string(bytes));
  byte_buffer out(bytes);
  if (bytes != 0)
    std::memcpy(out.data(), values.data(), bytes);
  return out;
}

std::string names_of(const own_values& all, const contract& task) {
  std::string out;
  for (const auto& a : task.arguments)
    if (values_of(&all, a) != nullptr)
      out += (out.empty() ? "" : ", ") + a.name;
  return out;
}

} // namespace kevolve
