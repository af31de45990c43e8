#include "actors/search/axes.hpp"

#include "backends/profile/bound_class.hpp"
#include "runtime/base/kinds.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <cstdio>
#include <set>

namespace kevolve {

namespace {

constexpr std::array vector_edges{64.0, 128.0, 256.0, 512.0};
constexpr std::array size_edges{500.0, 1000.0, 2000.0, 4000.0, 8000.0};
constexpr std::array nest_edges{1.0, 2.0, 3.0, 4.0};

constexpr std::array<behaviour_axis, 4> axes{{
    {"vector_bits", "widest vectors that the candidate names, in bits", vector_edges},
    {"code_bytes", "length of its code without comments and blanks", size_edges},
    {"nests_changed", "loop nests that its steps changed", nest_edges},
    {"bound", "what bounds it, where it was profiled", {}, bound_texts},
}};
static_assert(axes[bound_axis].name == "bound");
static_assert(axes.size() == std::tuple_size_v<behaviour_bins>);
static_assert(std::equal(axes.begin(), axes.end(), behaviour_axis_kinds.begin(), behaviour_axis_kinds.end(),
                         [](const behaviour_axis& a, std::string_view name) { return a.name == name; }));

struct vector_word {
  std::string_view word;
  double bits;
};
// Types and attributes of vectors, as compilers for CPUs and GPUs spell them.
constexpr std::array<vector_word, 17> vector_words{{
    {"__m512", 512},
    {"_mm512_", 512},
    {"vector_size(64)", 512},
    {"ext_vector_type(16)", 512},
    {"__m256", 256},
    {"_mm256_", 256},
    {"vector_size(32)", 256},
    {"ext_vector_type(8)", 256},
    {"__m128", 128},
    {"_mm_", 128},
    {"vector_size(16)", 128},
    {"ext_vector_type(4)", 128},
    {"float32x4", 128},
    {"float4", 128},
    {"uint4", 128},
    {"float2", 64},
    {"half2", 64},
}};

bool is_word(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
}

// Returns the source without comments and white space.
std::string code_of(std::string_view source) {
  std::string out;
  for (size_t i = 0; i < source.size(); ++i) {
    const auto rest = source.substr(i);
    if (rest.starts_with("//") || rest.starts_with("/*")) {
      const bool line = rest[1] == '/';
      const auto end = rest.find(line ? "\n" : "*/", 2);
      if (end == std::string_view::npos)
        break;
      i += end + (line ? 0 : 1);
    } else if (std::isspace(static_cast<unsigned char>(source[i])) == 0)
      out += source[i];
  }
  return out;
}

// Returns the labels of nests in a genome, such as L1 in "tile(L1,64); unroll(L3,4)".
std::set<std::string_view> nests_in(std::string_view genome) {
  std::set<std::string_view> out;
  for (size_t i = 0; i < genome.size(); ++i) {
    if (genome[i] != 'L' || (i > 0 && is_word(genome[i - 1])))
      continue;
    auto end = i + 1;
    while (end < genome.size() && std::isdigit(static_cast<unsigned char>(genome[end])) != 0)
      ++end;
    if (end > i + 1)
      out.insert(genome.substr(i, end - i));
  }
  return out;
}

} // namespace

std::span<const behaviour_axis> behaviour_axes() {
  return axes;
}

axis_set axes_named(const std::vector<std::string>& names) {
  if (names.empty())
    return all_axes;
  axis_set out{};
  for (size_t i = 0; i < axes.size(); ++i)
    out[i] = std::find(names.begin(), names.end(), axes[i].name) != names.end();
  return out;
}

behaviour_bins bins_of(const candidate_features& features) {
  behaviour_bins out{};
  for (size_t i = 0; i < axes.size(); ++i)
    if (const auto found = features.find(std::string{axes[i].name}); found != features.end()) {
      const auto& edges = axes[i].edges;
      const auto below = axes[i].kinds.empty()
                             ? std::upper_bound(edges.begin(), edges.end(), found->second) - edges.begin()
                             : static_cast<ptrdiff_t>(found->second);
      out[i] = static_cast<uint8_t>(1 + below);
    }
  return out;
}

uint8_t bin_of_bound(std::string_view bound) {
  const auto found = parse_enum<bound_class>(bound);
  return !found || *found == bound_class::unknown ? uint8_t{0} : static_cast<uint8_t>(1 + static_cast<int>(*found));
}

float prior_of(const candidate_features& features) {
  const auto found = features.find("prior");
  if (found == features.end() || !std::isfinite(found->second))
    return 1.0F;
  return static_cast<float>(std::clamp(found->second, 0.01, 100.0));
}

std::string cell_text(const behaviour_bins& cell, const axis_set& by) {
  std::string out;
  for (size_t i = 0; i < axes.size(); ++i) {
    if (!by[i])
      continue;
    const auto& edges = axes[i].edges;
    char text[64] = "unknown";
    if (const auto& kinds = axes[i].kinds; !kinds.empty()) {
      if (cell[i] > 0 && cell[i] <= kinds.size())
        std::snprintf(text, sizeof text, "%.*s", static_cast<int>(kinds[cell[i] - 1U].size()),
                      kinds[cell[i] - 1U].data());
    } else if (cell[i] == 1)
      std::snprintf(text, sizeof text, "below %g", edges.front());
    else if (cell[i] > edges.size())
      std::snprintf(text, sizeof text, "from %g", edges.back());
    else if (cell[i] > 1)
      std::snprintf(text, sizeof text, "%g to %g", edges[cell[i] - 2U], edges[cell[i] - 1U]);
    out += (out.empty() ? "" : ", ") + std::string{axes[i].name} + " " + text;
  }
  return out;
}

candidate_features features_of(std::string_view source, std::string_view genome) {
  candidate_features out;
  if (source.empty())
    return out;
  const auto code = code_of(source);
  auto bits = 0.0;
  for (const auto& w : vector_words)
    if (w.bits > bits && code.find(w.word) != std::string::npos)
      bits = w.bits;
  out["vector_bits"] = bits;
  out["code_bytes"] = static_cast<double>(code.size());
  if (!genome.empty())
    out["nests_changed"] = static_cast<double>(nests_in(genome).size());
  return out;
}

} // namespace kevolve
