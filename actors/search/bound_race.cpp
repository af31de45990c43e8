#include "actors/search/bound_race.hpp"

#include <algorithm>
#include <bit>

namespace kevolve {

namespace {

// Bounds closer than this, relative to their size, are compared anew at each abscissa: rounding might decide them.
constexpr double closeness = 1e-9;

double slope_of(const bound_line& line, const bound_point& at) {
  return at.prior_sum > 0.0 ? line.prior / (1.0 + line.visits) : 1.0 / std::sqrt(line.visits);
}

} // namespace

double abscissa_of(const bound_point& at) {
  if (at.prior_sum > 0.0)
    return at.exploration * std::sqrt(at.visits) / at.prior_sum;
  return at.exploration * std::sqrt(std::log(at.visits));
}

double bound_of(const bound_line& line, const bound_point& at) {
  if (at.prior_sum > 0.0)
    return line.value + at.exploration * line.prior / at.prior_sum * std::sqrt(at.visits) / (1.0 + line.visits);
  return line.value + at.exploration * std::sqrt(std::log(at.visits) / line.visits);
}

void bound_race::touch(uint32_t place) {
  if (place >= children_)
    return; // it enters with the next race
  for (auto node = blocks_ + place / block; node > 0 && matches_[node].low <= matches_[node].high; node /= 2) {
    matches_[node].low = infinite;
    matches_[node].high = -infinite;
  }
}

void bound_race::touch_all() {
  for (auto& m : matches_)
    m = {};
}

// Lets `other` meet the one that is ahead, and narrows the abscissae at which the match's winner wins.
void bound_race::meet(match& m, standing& ahead, uint32_t other, double x, const bound_point& at,
                      const lines& of) const {
  if (other == nobody)
    return;
  standing next{other, of(other), 0.0};
  if (!next.line.present)
    return;
  next.bound = bound_of(next.line, at);
  if (ahead.place == nobody) {
    ahead = next;
    return;
  }
  const auto wins = next.bound > ahead.bound;
  const auto& first = wins ? next : ahead;
  const auto& second = wins ? ahead : next;
  if (!(first.line == second.line)) {
    const auto gap = first.bound - second.bound;
    const auto close = closeness * (1.0 + std::abs(first.bound));
    const auto slopes = slope_of(first.line, at) - slope_of(second.line, at);
    const auto until = x - (gap - close) / slopes;
    if (gap <= close) {
      m.low = x;
      m.high = x;
    } else if (slopes > 0.0)
      m.low = std::max(m.low, until);
    else if (slopes < 0.0)
      m.high = std::min(m.high, until);
  }
  if (wins)
    ahead = next;
}

void bound_race::play(size_t node, double x, const bound_point& at, const lines& of) {
  auto& m = matches_[node];
  if (x >= m.low && x <= m.high)
    return;
  m.low = -infinite;
  m.high = infinite;
  standing ahead;
  if (node >= blocks_) {
    const auto from = static_cast<uint32_t>(node - blocks_) * block;
    for (auto place = from; place < std::min(from + block, children_); ++place)
      meet(m, ahead, place, x, at, of);
  } else
    for (const auto side : {2 * node, 2 * node + 1}) {
      play(side, x, at, of);
      m.low = std::max(m.low, matches_[side].low);
      m.high = std::min(m.high, matches_[side].high);
      meet(m, ahead, matches_[side].winner, x, at, of);
    }
  m.winner = ahead.place;
}

uint32_t bound_race::best(uint32_t children, const bound_point& at, const lines& of) {
  if (children > children_) {
    const auto before = children_;
    children_ = children;
    const auto wanted = std::bit_ceil<size_t>((children + block - 1) / block);
    if (wanted > blocks_) {
      blocks_ = wanted;
      matches_.assign(2 * blocks_, {});
    } else
      for (auto place = before; place < children; ++place)
        touch(place);
  }
  if (children_ == 0)
    return nobody;
  play(1, abscissa_of(at), at, of);
  return matches_[1].winner;
}

} // namespace kevolve
