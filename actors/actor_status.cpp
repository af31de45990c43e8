#include "actors/actor_status.hpp"

#include "actors/actor_states.hpp"
#include "actors/messages/messages.hpp"
#include "runtime/base/log.hpp"
#include "runtime/base/wall_clock.hpp"

#include <caf/exit_reason.hpp>

#include <algorithm>
#include <chrono>
#include <exception>
#include <iterator>
#include <utility>

namespace kevolve {

namespace {

constexpr size_t histories_kept = 4'096;
constexpr const char* stopped = "stopped";

} // namespace

void report_exceptions(caf::scheduled_actor* self) {
  self->set_exception_handler([self](std::exception_ptr& p) -> caf::error {
    std::string text = "unknown exception";
    try {
      std::rethrow_exception(p);
    } catch (const std::exception& e) {
      text = e.what();
    } catch (...) {
      text = "an exception of unknown type";
    }
    log::error("actor", "{} {} threw: {}", self->name(), self->id(), text);
    return to_error({errc::internal, text});
  });
}

std::string describe_end(const caf::error& reason) {
  if (!reason || reason == caf::exit_reason::normal || reason == caf::exit_reason::user_shutdown)
    return stopped;
  return to_string(to_failure(reason));
}

namespace {

bool is_busy(const actor_status_view& v) {
  return v.ended_ns == 0 && !v.at_rest && v.state != actor_state::idle && v.state != actor_state::starting;
}

// Adds a live actor to its kind's tally; sign -1 removes it.
void count_live(kind_tally& t, const actor_status_view& v, int64_t sign) {
  t.live += sign;
  t.busy += is_busy(v) ? sign : 0;
  t.restarts += sign * static_cast<int64_t>(v.restarts);
  t.mailbox += sign * static_cast<int64_t>(v.mailbox);
}

// Adds an ended actor to its kind's tally; sign -1 removes it.
void count_dead(kind_tally& t, const actor_status_view& v, int64_t sign) {
  t.dead += sign;
  t.failed += v.last_failure == stopped ? 0 : sign;
}

} // namespace

actor_status::actor_status(std::shared_ptr<actor_status_table> table, std::shared_ptr<kind_tally> tally,
                           actor_status_view first)
    : tally_(std::move(tally)), view_(std::move(first)), table_(std::move(table)) {}

template <class F>
void actor_status::change(F f) {
  std::lock_guard lock{guard_};
  const auto busy = is_busy(view_);
  const auto mailbox = view_.mailbox;
  f(view_);
  if (!counted_)
    return;
  if (is_busy(view_) != busy)
    tally_->busy += busy ? -1 : 1;
  if (view_.mailbox != mailbox)
    tally_->mailbox += static_cast<int64_t>(view_.mailbox) - static_cast<int64_t>(mailbox);
}

void actor_status::handling(std::string message, uint64_t mailbox) {
  change([&](actor_status_view& v) {
    v.message = std::move(message);
    v.mailbox = mailbox;
    v.since_ns = wall_clock_ns();
    if (v.state == actor_state::idle || v.state == actor_state::starting)
      v.state = actor_state::busy;
  });
}

void actor_status::handled() {
  ++tally_->handled;
  change([](actor_status_view& v) {
    ++v.handled;
    v.message.clear();
    v.since_ns = wall_clock_ns();
    if (v.state == actor_state::busy)
      v.state = actor_state::idle;
  });
}

void actor_status::flight(int64_t by) {
  change([by](actor_status_view& v) { v.in_flight = static_cast<uint64_t>(static_cast<int64_t>(v.in_flight) + by); });
}

void actor_status::says(std::string state) {
  awaits(std::move(state), {});
}

void actor_status::awaits(std::string state, std::string what) {
  change([&](actor_status_view& v) {
    v.awaits = std::move(what);
    v.state = std::move(state);
    v.at_rest = false;
    v.since_ns = wall_clock_ns();
  });
}

void actor_status::rests(std::string state) {
  change([&](actor_status_view& v) {
    v.awaits.clear();
    v.state = std::move(state);
    v.at_rest = true;
    v.since_ns = wall_clock_ns();
  });
}

void actor_status::about(const std::string& campaign, const std::string& node) {
  std::lock_guard lock{guard_};
  about_.campaign = campaign;
  about_.node = node;
}

log::ids actor_status::ids() const {
  std::lock_guard lock{guard_};
  auto out = about_;
  out.actor = view_.id;
  return out;
}

void actor_status::ended(const std::string& cause) {
  std::lock_guard lock{guard_};
  if (std::exchange(counted_, false))
    count_live(*tally_, view_, -1);
  view_.state = actor_state::dead;
  view_.ended_ns = wall_clock_ns();
  view_.last_failure = cause;
}

void actor_status::started_as(uint64_t id) {
  std::lock_guard lock{guard_};
  view_.id = id;
  if (!std::exchange(counted_, true))
    count_live(*tally_, view_, 1);
}

actor_status_view actor_status::view() const {
  std::lock_guard lock{guard_};
  return view_;
}

uint64_t actor_status::id() const {
  std::lock_guard lock{guard_};
  return view_.id;
}

actor_status_ptr actor_status_table::open(std::string kind, std::string name, uint64_t parent) {
  actor_status_view v;
  v.kind = std::move(kind);
  v.name = std::move(name);
  v.parent = parent;
  v.state = actor_state::starting;
  v.spawned_ns = wall_clock_ns();
  v.since_ns = v.spawned_ns;
  std::lock_guard lock{guard_};
  auto known = histories_.find(v.kind + "/" + v.name);
  if (known != histories_.end()) {
    v.restarts = known->second.failures;
    v.last_failure = known->second.last_failure;
  }
  auto& tally = tallies_[v.kind];
  if (!tally)
    tally = std::make_shared<kind_tally>();
  return std::make_shared<actor_status>(shared_from_this(), tally, std::move(v));
}

void actor_status_table::opened(const actor_status_ptr& own_status, const caf::actor& who) {
  own_status->started_as(who->id());
  std::lock_guard lock{guard_};
  live_[who->id()] = {own_status, caf::actor_cast<caf::weak_actor_ptr>(who)};
  kinds_[own_status->kind()][who->id()] = own_status;
}

caf::actor actor_status_table::handle(uint64_t id) const {
  std::lock_guard lock{guard_};
  auto i = live_.find(id);
  if (i == live_.end())
    return {};
  auto strong = caf::actor_cast<caf::strong_actor_ptr>(i->second.who);
  return strong ? caf::actor_cast<caf::actor>(strong) : caf::actor{};
}

void actor_status_table::close(uint64_t id, const std::string& cause) {
  std::lock_guard lock{guard_};
  auto i = live_.find(id);
  if (i == live_.end())
    return;
  i->second.own_status->ended(cause);
  auto v = i->second.own_status->view();
  live_.erase(i);
  kinds_[v.kind].erase(id);
  auto& tally = *tallies_[v.kind];
  auto in_order = cause == stopped;
  if (!in_order && (histories_.size() < histories_kept || histories_.contains(v.kind + "/" + v.name))) {
    auto& h = histories_[v.kind + "/" + v.name];
    ++h.failures;
    h.last_failure = cause;
  }
  if (in_order && v.kind == "appender") { // one per stored step, so they would push all others out
    tally.handled -= static_cast<int64_t>(v.handled);
    return;
  }
  count_dead(tally, v, 1);
  dead_.push_back(std::move(v));
  while (dead_.size() > dead_kept_) {
    const auto& gone = dead_.front();
    auto& its = *tallies_[gone.kind];
    count_dead(its, gone, -1);
    its.handled -= static_cast<int64_t>(gone.handled);
    dead_.pop_front();
    ++forgotten_;
  }
}

std::vector<actor_status_view> actor_status_table::list() const {
  std::lock_guard lock{guard_};
  std::vector<actor_status_view> out;
  out.reserve(live_.size() + dead_.size());
  for (const auto& [id, x] : live_)
    out.push_back(x.own_status->view());
  out.insert(out.end(), dead_.begin(), dead_.end());
  return out;
}

std::string actor_status_table::state_of(const actor_status_view& v) {
  if (v.ended_ns != 0)
    return actor_state::dead;
  return is_busy(v) ? actor_state::busy : v.state == actor_state::starting ? actor_state::starting : actor_state::idle;
}

const std::vector<std::string>& actor_status_table::asked_states() {
  static const std::vector<std::string> all{actor_state::live, actor_state::starting, actor_state::idle,
                                            actor_state::busy, actor_state::dead};
  return all;
}

actor_status_table::page_of_statuses actor_status_table::page(const std::string& kind, const std::string& state,
                                                              uint64_t first, uint64_t limit) const {
  std::lock_guard lock{guard_};
  page_of_statuses out;
  const auto put = [&](actor_status_view v) {
    if (out.total++ >= first && out.items.size() < limit)
      out.items.push_back(std::move(v));
  };
  const bool any_live = state.empty() || state == actor_state::live; // then only the actors on the page are read
  const auto walk = [&](const auto& statuses, auto actor_status_of) {
    if (any_live && first >= statuses.size()) {
      out.total += statuses.size();
      return;
    }
    auto i = statuses.begin();
    if (any_live) {
      std::advance(i, static_cast<std::ptrdiff_t>(first));
      out.total = first;
    }
    for (; i != statuses.end() && !(any_live && out.items.size() >= limit); ++i)
      if (auto v = actor_status_of(i->second)->view(); any_live || state_of(v) == state)
        put(std::move(v));
    if (any_live)
      out.total = statuses.size();
  };
  if (kind.empty())
    walk(live_, [](const living& x) { return x.own_status; });
  else if (const auto found = kinds_.find(kind); found != kinds_.end())
    walk(found->second, [](const actor_status_ptr& own_status) { return own_status; });
  if (state == actor_state::live)
    return out;
  for (const auto& v : dead_)
    if ((kind.empty() || v.kind == kind) && (state.empty() || state_of(v) == state))
      put(v);
  return out;
}

std::optional<actor_status_view> actor_status_table::find(uint64_t id) const {
  std::lock_guard lock{guard_};
  if (const auto i = live_.find(id); i != live_.end())
    return i->second.own_status->view();
  const auto found = std::find_if(dead_.begin(), dead_.end(), [id](const actor_status_view& v) { return v.id == id; });
  return found == dead_.end() ? std::nullopt : std::optional<actor_status_view>{*found};
}

std::map<std::string, std::shared_ptr<const kind_tally>> actor_status_table::tallies() const {
  std::lock_guard lock{guard_};
  return {tallies_.begin(), tallies_.end()};
}

std::string actor_status_table::awaited(const std::string& kind) const {
  std::lock_guard lock{guard_};
  std::string out;
  const auto found = kinds_.find(kind);
  if (found == kinds_.end())
    return out;
  for (const auto& [id, own_status] : found->second) {
    auto v = own_status->view();
    if (v.awaits.empty())
      return {};
    out = std::move(v.awaits);
  }
  return out;
}

uint64_t actor_status_table::forgotten() const {
  std::lock_guard lock{guard_};
  return forgotten_;
}

} // namespace kevolve
