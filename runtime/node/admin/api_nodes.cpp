#include "runtime/node/admin/api.hpp"
#include "runtime/node/admin/node_view.hpp"

#include <charconv>

namespace kevolve::handlers {

void node(const call_ptr& c) {
  const auto& digits = c->path.at("index");
  uint64_t index = 0;
  auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), index);
  if (error != std::errc{} || end != digits.data() + digits.size()) {
    c->refuse(failure{errc::bad_input, "a candidate is named by its index, a whole number"});
    return;
  }
  with_campaign_id(c, c->path.at("id"), [c, index](const id128& id) { reply_node(c, id, index); });
}

void best(const call_ptr& c) {
  with_campaign(c, c->path.at("id"), [c](const campaign_status& s) {
    if (s.best == 0)
      c->refuse(problem{404, "no-best", "no candidate has been shown to be faster than the reference"});
    else
      reply_node(c, s.id, s.best);
  });
}

} // namespace kevolve::handlers
