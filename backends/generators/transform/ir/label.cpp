#include "backends/generators/transform/ir/label.hpp"

#include <algorithm>

namespace kevolve::transform {

namespace {

// By role.
constexpr std::string_view letters = "trcdbqwpuosnhe";

} // namespace

loop_label::loop_label(std::string_view printed) : base_(printed) {
  const auto digit = printed.find_last_of("0123456789");
  const auto suffix = printed.substr(digit == std::string_view::npos ? printed.size() : digit + 1);
  if (suffix.find_first_not_of(letters) != std::string_view::npos)
    return;
  base_.resize(printed.size() - suffix.size());
  for (const char c : suffix)
    roles_.push_back(static_cast<loop_role>(letters.find(c)));
}

bool loop_label::is_tile_of_tiles() const {
  return roles_.size() > 1 && roles_.back() == loop_role::tiles && roles_[roles_.size() - 2] == loop_role::tiles;
}

loop_label loop_label::with(loop_role r) const {
  auto out = *this;
  out.roles_.push_back(r);
  return out;
}

loop_label loop_label::without_last_role() const {
  auto out = *this;
  if (!out.roles_.empty())
    out.roles_.pop_back();
  return out;
}

loop_label loop_label::as_while() const {
  auto out = *this;
  out.base_.insert(0, 1, 'W');
  return out;
}

std::string loop_label::text() const {
  auto out = base_;
  for (const auto r : roles_)
    out += letters[static_cast<size_t>(r)];
  return out;
}

} // namespace kevolve::transform
