#include "actors/knowledge/vocabulary.hpp"

#include "actors/knowledge/error_class.hpp"
#include "backends/profile/bound_class.hpp"
#include "backends/target.hpp"
#include "runtime/base/contract.hpp"
#include "runtime/base/kinds.hpp"
#include "runtime/base/verdict.hpp"

#include <algorithm>

namespace kevolve::knowledge {

namespace {

using texts = std::vector<std::string>;

texts verdicts() {
  texts out;
  for (auto v = static_cast<uint8_t>(verdict::compile_error); v <= static_cast<uint8_t>(last_value(verdict::none)); ++v)
    out.push_back(kevolve::to_string(static_cast<verdict>(v)));
  return out;
}

texts bounds() {
  return {bound_texts.begin() + 1, bound_texts.end()}; // the first is "unknown"
}

texts dtypes() {
  texts out;
  for (uint8_t t = 0; t < static_cast<uint8_t>(dtype::boolean); ++t)
    out.push_back(kevolve::to_string(static_cast<dtype>(t)));
  out.emplace_back("boolean"); // task files call it "bool"
  return out;
}

texts targets() {
  auto out = target_names();
  out.emplace_back("any");
  return out;
}

texts languages() {
  texts out;
  for (const auto& l : language_kinds())
    if (l.of_candidates && l.dialect != c_dialect::cpp) // C++ reads the documents for C
      out.emplace_back(l.name);
  return out;
}

template <class E>
texts all_of(E x) {
  return {enum_texts(x).begin(), enum_texts(x).end()};
}

} // namespace

const std::vector<vocabulary_row>& vocabulary() {
  static const std::vector<vocabulary_row> rows{
      {signal_kind::verdict, verdicts(), 4.0, "the judge's verdict on the parent"},
      {signal_kind::error, all_of(error_class{}), 6.0, "the class of the compiler's first message"},
      {signal_kind::bound, bounds(), 5.0, "the dominant bottleneck"},
      {signal_kind::family,
       {"elementwise", "reduction",      "normalisation", "softmax",     "matmul",  "convolution", "attention",
        "scan",        "gather_scatter", "embedding",     "sort_search", "stencil", "histogram",   "ragged",
        "quantised",   "pooling",        "layout",        "random",      "loss",    "recurrent",   "sparse"},
       4.0,
       "the operator's family"},
      {signal_kind::dtype, dtypes(), 1.0, "the type of an array"},
      {signal_kind::tried, {"no_gain", "slower", "repeated_wrong"}, 2.0, "what earlier attempts showed"},
      {signal_kind::target, targets(), 0.0, "the target"},
      {signal_kind::language, languages(), 0.0, "the candidate's language"},
      {signal_kind::hardware,
       {"x86-64", "zen3", "zen4", "zen5", "icelake", "sapphire-rapids", "neoverse-n1", "neoverse-v1", "neoverse-v2",
        "sm_80", "sm_86", "sm_89", "sm_90", "gfx908", "gfx90a", "gfx942", "gfx950"},
       0.0,
       "the hardware's class"},
      {signal_kind::phase, all_of(step_phase{}), 0.0, "the kind of step"},
  };
  return rows;
}

const vocabulary_row& row_of(signal_kind k) {
  return vocabulary()[static_cast<size_t>(k)];
}

std::string to_string(const signal& s) {
  return kevolve::to_string(s.kind) + ":" + s.value;
}

std::optional<signal> parse_signal(std::string_view text) {
  const auto colon = text.find(':');
  if (colon == std::string_view::npos)
    return std::nullopt;
  const auto kind = parse_enum<signal_kind>(text.substr(0, colon));
  if (!kind)
    return std::nullopt;
  const auto& values = row_of(*kind).values;
  const std::string value{text.substr(colon + 1)};
  if (std::find(values.begin(), values.end(), value) == values.end())
    return std::nullopt;
  return signal{*kind, value};
}

} // namespace kevolve::knowledge
