// Lists all campaigns of a node: the stored statuses, replaced by those of running campaigns.
#include "actors/campaign/campaign_states.hpp"
#include "actors/messages/keys.hpp"
#include "actors/messages/promises.hpp"
#include "runtime/base/codec.hpp"
#include "runtime/node/campaigns_steps.hpp"

#include <algorithm>
#include <chrono>

namespace kevolve::campaigns_steps {

namespace {

constexpr auto status_limit = std::chrono::seconds{5};

// The statuses found so far, and the number of answers still awaited.
struct listing {
  std::map<id128, campaign_status> found;
  std::string digits; // the beginning of their ids
  size_t awaited = 0;
  std::shared_ptr<const campaign_homes> homes; // null: campaigns are kept on this node alone
  caf::typed_response_promise<std::vector<campaign_status>> promise;

  bool wants(const id128& id) const { return digits.empty() || to_string(id).starts_with(digits); }
  bool asks(const id128& id) const { return wants(id) && (!homes || homes->elsewhere(id).empty()); }
  // This node's record of a campaign that another one runs is old. One without a record here is listed for those who
  // ask for it.
  void tell_homes() {
    if (!homes)
      return;
    const bool unknown = !digits.empty() && found.empty();
    for (auto& [id, where] : homes->all())
      if (wants(id) && (unknown || found.contains(id))) {
        auto& s = found[id];
        s.id = id;
        s.state = elsewhere_state;
        s.reason = std::move(where);
      }
  }
  void done() {
    if (awaited != 0)
      return;
    tell_homes();
    std::vector<campaign_status> out;
    for (auto& [id, s] : found)
      out.push_back(std::move(s));
    promise.deliver(std::move(out));
  }
};

void ask_running(pointer self, const std::shared_ptr<listing>& l) {
  auto& running = self->state.running;
  l->awaited = static_cast<size_t>(
      std::count_if(running.begin(), running.end(), [&l](const auto& e) { return l->asks(e.first); }));
  for (auto& [id, e] : running) {
    if (!l->asks(id))
      continue;
    if (!e.failure.empty()) {
      auto& s = l->found[id];
      s.id = id;
      s.name = e.context->name;
      s.state = "failed";
      s.reason = e.failure;
      --l->awaited;
      continue;
    }
    self->request(e.context->campaign, status_limit, atom::status_v)
        .then(
            [l](campaign_status& s) {
              l->found[s.id] = std::move(s);
              --l->awaited;
              l->done();
            },
            [l](caf::error&) {
              --l->awaited; // the campaign restarts: its stored status is used
              l->done();
            });
  }
  l->done();
}

void list_stored(pointer self, const std::shared_ptr<listing>& l) {
  self->request(self->state.ground.journal, until_answered, atom::scan_v, std::string{keys::index},
                keys::statuses(l->digits), campaigns_listed)
      .then(
          [self, l](std::vector<stored_value>& rows) {
            for (const auto& row : rows)
              if (auto s = decode_older<campaign_status>(row.value); s && l->wants(s->id))
                l->found[s->id] = std::move(*s);
            ask_running(self, l);
          },
          [l](caf::error& e) { l->promise.deliver(std::move(e)); });
}

} // namespace

void list(pointer self, const std::string& digits, caf::typed_response_promise<std::vector<campaign_status>> promise) {
  auto l = std::make_shared<listing>();
  l->digits = digits;
  l->homes = self->state.ground.homes;
  l->promise = std::move(promise);
  const auto& running = self->state.running;
  const auto one = running.find(parse_id(digits));
  if (one == running.end() || !one->second.failure.empty() || !elsewhere(self->state, one->first).empty()) {
    list_stored(self, l);
    return;
  }
  // A running campaign knows its status better than the store.
  self->request(one->second.context->campaign, status_limit, atom::status_v)
      .then([l](campaign_status& s) { l->promise.deliver(std::vector<campaign_status>{std::move(s)}); },
            [self, l](caf::error&) { list_stored(self, l); });
}

} // namespace kevolve::campaigns_steps
