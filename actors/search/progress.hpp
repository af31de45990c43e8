// The progress of a search as its policies judge it: when something faster was last found, and what each memory
// operator has brought. It follows from the order in which candidates end; amendments do not change it.
#pragma once

#include "actors/search/mixture.hpp"
#include "actors/search/tree_node.hpp"
#include "runtime/base/memory_operators.hpp"

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace kevolve {

// Returns the place of an operator's name; the number of operators for any other name.
uint8_t memory_operator_of(std::string_view name);

// A candidate is a gain if it is this much faster than the last gain: less is within the noise of a screening.
inline constexpr double least_gain = 1.01;

// The phase of the policy `adaptive`. Records store the text.
enum class search_phase : uint8_t { exploit = 0, broaden };
constexpr std::array<std::string_view, 2> search_phase_texts{"exploit", "broaden"};
constexpr const auto& enum_texts(search_phase) {
  return search_phase_texts;
}

// A change of that phase, with its reason for people.
struct phase_switch {
  search_phase to = search_phase::exploit;
  std::string reason;
};

class search_progress {
public:
  // Counts a candidate that has ended. `counts`: it is valid, believed and no duplicate.
  void ended(const tree_node& n, bool counts);
  void switched(search_phase to) {
    phase_ = to;
    phase_began_ = ended_;
  }

  search_phase phase() const { return phase_; }
  // Returns the number of candidates that ended since the phase of `adaptive` began.
  uint64_t in_phase() const { return ended_ - phase_began_; }
  // Returns the number of candidates that ended since the last gain.
  uint64_t since_gain() const { return ended_ - last_gain_; }
  // Returns the yields of the memory operators, by their places: a step's gain is the logarithm of its speed-up over
  // the fastest before it, and each step costs the same.
  const std::vector<generator_yield>& yields() const { return yields_; }

private:
  double fastest_ = 1.0;
  double at_gain_ = 1.0;
  uint64_t ended_ = 0;
  uint64_t last_gain_ = 0;
  uint64_t phase_began_ = 0;
  search_phase phase_ = search_phase::exploit;
  std::vector<generator_yield> yields_ = std::vector<generator_yield>(memory_operator_texts.size());
};

} // namespace kevolve
