#include "runtime/node/admin/at_rest.hpp"

#include "actors/campaign/campaign_states.hpp"
#include "actors/messages/keys.hpp"
#include "runtime/base/codec.hpp"
#include "runtime/node/data_directory.hpp"
#include "store/store.hpp"

namespace kevolve {

namespace {

constexpr uint32_t events_a_read = 4'096;

struct resting {
  std::vector<campaign_status> all;
  std::function<void(std::vector<campaign_status>&)> then;
};

// Returns the cluster that keeps this node's campaigns; empty: none does.
std::string cluster_of(const call& c) {
  const auto bytes =
      c.context->records ? c.context->records->get(table::meta, keeping_cluster) : result<std::optional<std::string>>{};
  const auto name = bytes && *bytes ? decode<std::string>(**bytes) : result<std::string>{};
  return name ? *name : std::string{};
}

void put_from(const call_ptr& c, const std::shared_ptr<resting>& r, size_t at) {
  while (at < r->all.size() && has_ended(r->all[at].state))
    ++at; // stored together with the campaign's end
  if (at == r->all.size()) {
    r->then(r->all);
    return;
  }
  auto id = r->all[at].id;
  ask<std::string>(
      c, c->context->journal,
      [c, r, at, id](std::string& bytes) {
        auto submission = decode<campaign_submission>(bytes);
        auto spec = submission ? decode_older<campaign_spec>(submission->spec) : tl::unexpected(submission.error());
        if (!spec) {
          c->refuse(spec.error());
          return;
        }
        auto folded = std::make_shared<campaign_fold>();
        fold_events(c, id, folded, [c, r, at, id, folded, spec = *spec] {
          auto& s = r->all[at] = status_at_rest(*folded, spec, id, r->all[at].name);
          if (const auto cluster = s.state == stopped_state ? cluster_of(*c) : std::string{}; !cluster.empty())
            s.reason = "no process runs it here: another home of cluster '" + cluster
                       + "' goes on with it, or kevolved here takes it up again";
          put_from(c, r, at + 1);
        });
      },
      atom::lookup_v, std::string{keys::index}, keys::campaign(id));
}

} // namespace

void fold_events(const call_ptr& c, const id128& id, const std::shared_ptr<campaign_fold>& folded,
                 std::function<void()> then, uint64_t after) {
  ask<std::vector<journal_event>>(
      c, c->context->journal,
      [c, id, folded, then = std::move(then)](std::vector<journal_event>& events) {
        for (const auto& e : events)
          fold(*folded, e);
        if (events.size() == events_a_read)
          fold_events(c, id, folded, then, events.back().sequence);
        else
          then();
      },
      atom::events_v, id, after, events_a_read);
}

void put_at_rest(const call_ptr& c, std::vector<campaign_status> all,
                 std::function<void(std::vector<campaign_status>&)> then) {
  put_from(c, std::make_shared<resting>(resting{std::move(all), std::move(then)}), 0);
}

} // namespace kevolve
