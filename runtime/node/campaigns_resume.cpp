// Resumes the unfinished campaigns of the store, in order, when a node starts.
#include "actors/messages/keys.hpp"
#include "actors/messages/promises.hpp"
#include "runtime/base/codec.hpp"
#include "runtime/base/log.hpp"
#include "runtime/node/campaigns_steps.hpp"
#include "store/transaction.hpp"

#include <algorithm>
#include <tuple>

namespace kevolve::campaigns_steps {

namespace {

// Unfinished campaigns found in the store, to be started in order.
struct unfinished {
  struct one {
    id128 id;
    campaign_submission submission;
    campaign_status status;
    uint64_t first_event = 0;
  };
  std::vector<one> all;
  size_t awaited = 0;
};

// Campaigns that had a place keep it, before paused ones, which may have waited for one. Then priority decides, then
// the order of submission.
void start_in_order(pointer self, unfinished& u) {
  std::sort(u.all.begin(), u.all.end(), [](const auto& a, const auto& b) {
    auto order = [](const auto& x) {
      const auto phase = parse_enum<campaign_phase>(x.status.state);
      return std::tuple{phase == campaign_phase::queued   ? 2
                        : phase == campaign_phase::paused ? 1
                                                          : 0,
                        -static_cast<int64_t>(x.status.priority), x.first_event};
    };
    return order(a) < order(b);
  });
  for (const auto& one : u.all)
    start(self, one.id, one.submission, true, one.status.priority);
}

// Reads the status of each campaign and its position in the global sequence.
void read_unfinished(pointer self, const std::shared_ptr<unfinished>& u, const id128& id,
                     campaign_submission submission) {
  auto done = [self, u] {
    if (--u->awaited == 0)
      start_in_order(self, *u);
  };
  auto wanted = [self, u, done, id, submission = std::move(submission)](campaign_status status) {
    if (has_ended(status.state)) {
      done();
      return;
    }
    u->all.push_back({id, submission, std::move(status), 0});
    self->request(self->state.ground.journal, until_answered, atom::events_v, id, uint64_t{0}, uint32_t{1})
        .then(
            [u, done, id](std::vector<journal_event>& events) {
              for (auto& one : u->all)
                if (one.id == id && !events.empty())
                  one.first_event = events.front().sequence;
              done();
            },
            [done](caf::error&) { done(); });
  };
  self->request(self->state.ground.journal, until_answered, atom::lookup_v, std::string{keys::index}, keys::status(id))
      .then(
          [wanted](std::string& bytes) {
            auto status = decode_older<campaign_status>(bytes);
            wanted(status ? std::move(*status) : campaign_status{});
          },
          [wanted](caf::error&) { wanted({}); });
}

} // namespace

void resume_unfinished(pointer self, bool every) {
  auto& journal = self->state.ground.journal;
  self->request(journal, until_answered, atom::scan_v, std::string{keys::index}, std::string{"campaign/"},
                campaigns_listed)
      .then(
          [self, every](std::vector<stored_value>& rows) {
            auto u = std::make_shared<unfinished>();
            std::vector<std::pair<id128, campaign_submission>> found;
            for (const auto& row : rows) {
              auto id = id_of(std::string_view{row.key}.substr(std::string_view{"campaign/"}.size()));
              auto submission = decode<campaign_submission>(row.value);
              if (submission && (every || self->state.ground.started->contains(id)))
                found.emplace_back(id, std::move(*submission));
            }
            u->awaited = found.size();
            for (auto& [id, submission] : found)
              read_unfinished(self, u, id, std::move(submission));
          },
          [self](caf::error& e) {
            log::error("campaigns", "cannot list campaigns: {}", to_string(to_failure(e)));
            self->quit(std::move(e)); // the next instance tries again
          });
}

} // namespace kevolve::campaigns_steps
