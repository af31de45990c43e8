#include "backends/judge/memory_need.hpp"

#include "backends/judge/geometry.hpp"

#include <algorithm>
#include <cmath>

namespace kevolve {

double bytes_to_judge(const contract& task, const shape_case& shape) {
  const auto unknown = [](const std::string&) -> result<int64_t> { return fail(errc::unsupported, "of data"); };
  double bytes = 0.0;
  for (const auto& a : task.arguments)
    if (is_array(a))
      if (auto g = resolve_geometry(a, shape.sizes, unknown))
        bytes += static_cast<double>(g->bytes());
  return memory_per_argument * bytes;
}

int64_t mebibytes_to_judge(const contract& task) {
  double most = 0.0;
  for (const auto& shape : task.shapes)
    most = std::max(most, bytes_to_judge(task, shape));
  return static_cast<int64_t>(std::ceil(most / (1U << 20U)));
}

} // namespace kevolve
