#include "config/tensor_file.hpp"

#include "runtime/base/contract.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <utility>

namespace kevolve {

namespace {

using json = nlohmann::json;

constexpr size_t length_bytes = 8;
constexpr std::array<std::pair<std::string_view, dtype>, 9> types{{{"F16", dtype::f16},
                                                                   {"BF16", dtype::bf16},
                                                                   {"F32", dtype::f32},
                                                                   {"F64", dtype::f64},
                                                                   {"I8", dtype::i8},
                                                                   {"U8", dtype::u8},
                                                                   {"I32", dtype::i32},
                                                                   {"I64", dtype::i64},
                                                                   {"BOOL", dtype::boolean}}};

uint64_t header_length(std::string_view file) {
  uint64_t out = 0;
  for (size_t i = 0; i < length_bytes; ++i)
    out |= uint64_t{static_cast<uint8_t>(file[i])} << (8 * i);
  return out;
}

bool are_whole(const json& list) {
  return list.is_array() && std::all_of(list.begin(), list.end(), [](const json& n) { return n.is_number_unsigned(); });
}

result<stored_tensor> tensor_of(const std::string& name, const json& entry, std::string_view data) {
  const auto wrong = [&name](const std::string& what) -> result<stored_tensor> {
    return fail(errc::bad_input, "tensor '" + name + "' " + what);
  };
  const auto type = entry.find("dtype");
  const auto shape = entry.find("shape");
  const auto place = entry.find("data_offsets");
  if (type == entry.end() || !type->is_string() || shape == entry.end() || !are_whole(*shape) || place == entry.end()
      || !are_whole(*place) || place->size() != 2)
    return wrong("has no dtype, shape and data_offsets");
  const auto from = place->at(0).get<uint64_t>();
  const auto to = place->at(1).get<uint64_t>();
  if (from > to || to > data.size())
    return wrong("lies outside of the file");
  stored_tensor out;
  out.type = type->get<std::string>();
  out.bytes = data.substr(from, to - from);
  uint64_t count = 1;
  for (const auto& n : *shape) {
    const auto extent = n.get<uint64_t>();
    if (extent > data.size() || __builtin_mul_overflow(count, extent, &count))
      return wrong("has a shape that is larger than the file");
    out.shape.push_back(static_cast<int64_t>(extent));
  }
  const auto* known = std::find_if(types.begin(), types.end(), [&](const auto& t) { return t.first == out.type; });
  if (known == types.end())
    return out;
  out.type = to_string(known->second);
  const auto width = size_bytes(known->second);
  if (out.bytes.size() % width != 0 || out.bytes.size() / width != count)
    return wrong("has other extents than bytes");
  return out;
}

} // namespace

result<std::map<std::string, stored_tensor>> read_tensors(std::string_view file) {
  if (file.size() < length_bytes || header_length(file) > file.size() - length_bytes)
    return fail(errc::bad_input, "is no safetensors file: its header is cut off");
  const auto length = static_cast<size_t>(header_length(file));
  const auto header = json::parse(file.substr(length_bytes, length), nullptr, false);
  if (!header.is_object())
    return fail(errc::bad_input, "is no safetensors file: its header is no JSON object");
  const auto data = file.substr(length_bytes + length);
  std::map<std::string, stored_tensor> out;
  for (const auto& [name, entry] : header.items()) {
    if (name == "__metadata__")
      continue;
    auto tensor = tensor_of(name, entry, data);
    if (!tensor)
      return tl::unexpected<failure>(tensor.error());
    out.emplace(name, std::move(*tensor));
  }
  return out;
}

} // namespace kevolve
