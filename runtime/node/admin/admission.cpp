#include "runtime/node/admin/admission.hpp"

namespace kevolve {

namespace {

template <class Fits>
std::optional<size_t> oldest(const std::vector<present>& there, Fits fits) {
  std::optional<size_t> out;
  for (size_t i = 0; i < there.size(); ++i)
    if (there[i].waiting && fits(there[i]) && (!out || there[i].since < there[*out].since))
      out = i;
  return out;
}

} // namespace

admission admit(const std::vector<present>& there, const http_limits& limits) {
  size_t strangers = 0;
  size_t of_peer = 0;
  for (const auto& p : there) {
    strangers += p.trusted ? 0U : 1U;
    of_peer += !p.trusted && p.same_peer ? 1U : 0U;
  }
  std::optional<size_t> gives_way;
  if (of_peer >= limits.per_peer)
    gives_way = oldest(there, [](const present& p) { return !p.trusted && p.same_peer; });
  else if (strangers + limits.reserved >= limits.connections)
    gives_way = oldest(there, [](const present& p) { return !p.trusted; });
  else if (there.size() >= limits.connections)
    gives_way = oldest(there, [](const present& p) { return p.trusted; });
  else
    return {true, std::nullopt};
  return {gives_way.has_value(), gives_way};
}

} // namespace kevolve
