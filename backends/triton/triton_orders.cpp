#include "backends/triton/triton_plan.hpp"

#include <sstream>

namespace kevolve {

namespace {

constexpr uint64_t most_shared = uint64_t{1} << 20U;
constexpr uint64_t most_scratch = uint64_t{1} << 30U;

template <class Values, class Write>
std::string joined(const Values& values, const Write& write) {
  std::string out;
  for (const auto& v : values)
    out += (out.empty() ? "" : ",") + write(v);
  return out;
}

// The plan's reader admits only words without special characters, so nothing needs escaping.
std::string quoted(const std::string& word) {
  return "\"" + word + "\"";
}

} // namespace

std::string triton_orders(const triton_plan& plan) {
  return "["
         + joined(plan.kernels,
                  [](const triton_kernel& k) {
                    return "{\"name\":" + quoted(k.name) + ",\"symbol\":" + quoted(k.symbol) + ",\"types\":["
                           + joined(k.types, quoted) + "],\"divisible\":["
                           + joined(k.divisible, [](uint64_t d) { return std::to_string(d); }) + "],\"constants\":{"
                           + joined(k.constants, [](const auto& c) { return quoted(c.first) + ":" + c.second; })
                           + "},\"warps\":" + std::to_string(k.warps) + ",\"stages\":" + std::to_string(k.stages) + "}";
                  })
         + "]";
}

std::optional<std::vector<triton_built>> read_triton_built(std::string_view text, size_t kernels) {
  std::vector<triton_built> out;
  std::istringstream lines{std::string{text}};
  uint64_t warps = 0;
  uint64_t shared = 0;
  uint64_t trailing = 0;
  uint64_t scratch = 0;
  uint64_t profile = 0;
  uint64_t group = 0;
  while (out.size() < kernels && lines >> warps >> shared >> trailing >> scratch >> profile >> group) {
    // Warp-specialised kernels have more warps than requested.
    if (warps < 1 || warps > 64 || shared > most_shared || trailing > 2 || scratch > most_scratch
        || (scratch > 0 && trailing == 0) || profile != 0 || group != 1)
      return std::nullopt;
    out.push_back(
        {static_cast<uint32_t>(warps), static_cast<uint32_t>(shared), static_cast<uint32_t>(trailing), scratch});
  }
  return out.size() == kernels ? std::optional{out} : std::nullopt;
}

} // namespace kevolve
