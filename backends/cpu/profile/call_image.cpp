#include "backends/cpu/profile/call_image.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <vector>

namespace kevolve {

namespace {

constexpr uint64_t profile_seed = 0x5eed'0f'0a'ca11ULL;

// Calls `visit` with the elements of the argument as an array of its type. Half-precision types count as their bits.
template <class Visit>
auto with_elements(call_image& image, size_t argument, const Visit& visit) {
  auto& bytes = image.data.inputs[argument];
  switch (image.task.arguments[argument].type) {
    case dtype::f32:
      return visit(bytes.as<float>(), bytes.size() / sizeof(float));
    case dtype::f64:
      return visit(bytes.as<double>(), bytes.size() / sizeof(double));
    case dtype::i32:
      return visit(bytes.as<int32_t>(), bytes.size() / sizeof(int32_t));
    case dtype::i64:
      return visit(bytes.as<int64_t>(), bytes.size() / sizeof(int64_t));
    case dtype::f16:
    case dtype::bf16:
      return visit(bytes.as<uint16_t>(), bytes.size() / sizeof(uint16_t));
    case dtype::i8:
      return visit(bytes.as<int8_t>(), bytes.size());
    case dtype::u8:
    case dtype::boolean:
      break;
  }
  return visit(bytes.as<uint8_t>(), bytes.size());
}

void append_word(std::string& out, uint64_t word) {
  out.append(reinterpret_cast<const char*>(&word), sizeof word); // NOLINT
}

} // namespace

result<call_image> draw_image(const contract& task, const shape_case& shape) {
  draw_options options;
  options.seed = profile_seed;
  options.static_seed = profile_seed + 1;
  auto data = draw_call(task, shape, options);
  if (!data)
    return tl::unexpected(data.error());
  auto layout = lay_out(task, data->geometries);
  return call_image{task, std::move(*data), std::move(layout)};
}

std::string image_file(const call_image& image) {
  const auto count = image.task.arguments.size();
  std::vector<const arena_place*> places(count, nullptr);
  for (const auto& place : image.layout.places)
    places[place.argument] = &place;
  std::string out;
  append_word(out, image.layout.total);
  append_word(out, count);
  for (size_t i = 0; i < count; ++i) {
    append_word(out, places[i] != nullptr ? 1 : 0);
    append_word(out, places[i] != nullptr ? places[i]->offset : image.data.by_value[i]);
    append_word(out, places[i] != nullptr ? places[i]->bytes : 0);
    append_word(out, image.task.arguments[i].role == argument_role::inout ? 1 : 0);
  }
  const auto begin = out.size();
  out.resize(begin + image.layout.total);
  for (const auto& place : image.layout.places) {
    const auto& from = image.data.inputs[place.argument];
    if (from.size() > 0)
      std::memcpy(out.data() + begin + place.offset, from.data(), std::min(from.size(), place.bytes));
  }
  return out;
}

void sort_argument(call_image& image, size_t argument) {
  with_elements(image, argument, [](auto* values, size_t count) {
    // Values that are no numbers have no order.
    if (std::all_of(values, values + count, [](auto x) { return x == x; })) // NOLINT(misc-redundant-expression)
      std::sort(values, values + count);
  });
}

void level_argument(call_image& image, size_t argument) {
  with_elements(image, argument, [](auto* values, size_t count) {
    if (count == 0)
      return;
    auto copy = std::vector(values, values + count);
    const auto middle = copy.begin() + static_cast<std::ptrdiff_t>(count / 2);
    std::nth_element(copy.begin(), middle, copy.end());
    std::fill(values, values + count, *middle);
  });
}

double share_of_denormals(const call_image& image, size_t argument) {
  const auto& bytes = image.data.inputs[argument];
  const auto type = image.task.arguments[argument].type;
  const auto share = [](const auto* values, size_t count) {
    const auto small = std::count_if(values, values + count, [](auto x) { return std::fpclassify(x) == FP_SUBNORMAL; });
    return count == 0 ? 0.0 : static_cast<double>(small) / static_cast<double>(count);
  };
  if (type == dtype::f32)
    return share(bytes.as<float>(), bytes.size() / sizeof(float));
  if (type == dtype::f64)
    return share(bytes.as<double>(), bytes.size() / sizeof(double));
  return 0.0;
}

} // namespace kevolve
