// The closed vocabulary of signals: what a step shows, and what a document of the knowledge base is about. One table
// has every kind with its values; documents, retrieval and checks read it.
#pragma once

#include "runtime/base/enum_text.hpp"

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace kevolve::knowledge {

enum class signal_kind : uint8_t {
  verdict = 0, // the judge's verdict on the parent
  error,       // the class of a compiler's message
  bound,       // the dominant bottleneck of the parent
  family,      // of the operator
  dtype,       // of an array of the task
  tried,       // what earlier attempts showed
  // The kinds below choose among documents and never rank them. A document states them by keys of their own.
  target,
  language,
  hardware,
  phase,
};
inline constexpr std::array<std::string_view, 10> signal_kind_texts{
    "verdict", "error", "bound", "family", "dtype", "tried", "target", "language", "hardware", "phase"};
constexpr const auto& enum_texts(signal_kind) {
  return signal_kind_texts;
}
// Returns true for kinds that choose among documents by their keys `targets`, `languages`, `hardware` and `phases`.
constexpr bool is_filter(signal_kind k) {
  return k >= signal_kind::target;
}

// The kind of a step, by what it starts from.
enum class step_phase : uint8_t { draft = 0, repair, refine, combine };
inline constexpr std::array<std::string_view, 4> step_phase_texts{"draft", "repair", "refine", "combine"};
constexpr const auto& enum_texts(step_phase) {
  return step_phase_texts;
}

struct signal {
  signal_kind kind = signal_kind::verdict;
  std::string value;

  auto operator<=>(const signal&) const = default;
};
// Returns "bound:scalar_code".
std::string to_string(const signal& s);
// Parses the text of to_string(); nothing for a kind or a value that the vocabulary does not have.
std::optional<signal> parse_signal(std::string_view text);

struct vocabulary_row {
  signal_kind kind;
  std::vector<std::string> values; // all there are
  double weight = 0.0;             // of one match in the ranking of documents; 0: of a filter
  std::string_view about;          // for a person
};
// Returns a row a kind, in the order of the kinds. The names of verdicts, bounds and types come from their
// enumerations, those of targets and languages from their registries.
const std::vector<vocabulary_row>& vocabulary();
const vocabulary_row& row_of(signal_kind k);

} // namespace kevolve::knowledge
