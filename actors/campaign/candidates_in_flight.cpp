#include "actors/campaign/candidates_in_flight.hpp"

#include <utility>

namespace kevolve {

void candidates_in_flight::select(uint64_t index) {
  expect(index);
  all_[index].selecting = true;
}

void candidates_in_flight::selected(uint64_t index) {
  if (const auto x = all_.find(index); x != all_.end())
    x->second.selecting = false;
}

bool candidates_in_flight::is_selecting(uint64_t index) const {
  const auto x = all_.find(index);
  return x != all_.end() && x->second.selecting;
}

caf::actor candidates_in_flight::actor_of(uint64_t index) const {
  const auto x = all_.find(index);
  return x == all_.end() ? caf::actor{} : x->second.actor;
}

std::optional<uint64_t> candidates_in_flight::index_of(const caf::actor_addr& actor) const {
  for (const auto& [index, x] : all_)
    if (x.actor && x.actor.address() == actor)
      return index;
  return std::nullopt;
}

uint32_t candidates_in_flight::count_fault(uint64_t index) {
  expect(index);
  return all_[index].faults++;
}

uint32_t candidates_in_flight::faults(uint64_t index) const {
  const auto x = all_.find(index);
  return x == all_.end() ? 0 : x->second.faults;
}

std::vector<caf::actor> candidates_in_flight::release() {
  std::vector<caf::actor> out;
  for (auto& [index, x] : std::exchange(all_, {}))
    if (x.actor)
      out.push_back(std::move(x.actor));
  return out;
}

std::vector<candidates_in_flight::verdict_promise> candidates_in_flight::judged(uint64_t index) {
  std::erase_if(judging_, [index](const auto& x) { return x.second == index; });
  if (auto waiting = waiting_.extract(index))
    return std::move(waiting.mapped());
  return {};
}

std::vector<candidates_in_flight::verdict_promise> candidates_in_flight::take_waiting() {
  std::vector<verdict_promise> out;
  for (auto& [index, waiting] : std::exchange(waiting_, {}))
    for (auto& p : waiting)
      out.push_back(std::move(p));
  return out;
}

} // namespace kevolve
