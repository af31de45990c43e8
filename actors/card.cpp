#include "actors/card.hpp"

#include "actors/messages.hpp"
#include "runtime/base/log.hpp"
#include "runtime/base/wall_clock.hpp"

#include <caf/exit_reason.hpp>

#include <chrono>
#include <exception>

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

actor_card::actor_card(std::shared_ptr<card_table> table, card_view first)
    : view_(std::move(first)), table_(std::move(table)) {}

void actor_card::handling(std::string message, uint64_t mailbox) {
  std::lock_guard lock{guard_};
  view_.message = std::move(message);
  view_.mailbox = mailbox;
  view_.since_ns = wall_clock_ns();
  if (view_.state == "idle" || view_.state == "starting")
    view_.state = "busy";
}

void actor_card::handled() {
  std::lock_guard lock{guard_};
  ++view_.handled;
  view_.message.clear();
  view_.since_ns = wall_clock_ns();
  if (view_.state == "busy")
    view_.state = "idle";
}

void actor_card::flight(int64_t change) {
  std::lock_guard lock{guard_};
  view_.in_flight = static_cast<uint64_t>(static_cast<int64_t>(view_.in_flight) + change);
}

void actor_card::says(std::string state) {
  awaits(std::move(state), {});
}

void actor_card::awaits(std::string state, std::string what) {
  std::lock_guard lock{guard_};
  view_.awaits = std::move(what);
  view_.state = std::move(state);
  view_.since_ns = wall_clock_ns();
}

void actor_card::about(const std::string& campaign, const std::string& node) {
  std::lock_guard lock{guard_};
  about_.campaign = campaign;
  about_.node = node;
}

log::ids actor_card::ids() const {
  std::lock_guard lock{guard_};
  auto out = about_;
  out.actor = view_.id;
  return out;
}

void actor_card::ended(const std::string& cause) {
  std::lock_guard lock{guard_};
  view_.state = "dead";
  view_.ended_ns = wall_clock_ns();
  view_.last_failure = cause;
}

void actor_card::started_as(uint64_t id) {
  std::lock_guard lock{guard_};
  view_.id = id;
}

card_view actor_card::view() const {
  std::lock_guard lock{guard_};
  return view_;
}

uint64_t actor_card::id() const {
  std::lock_guard lock{guard_};
  return view_.id;
}

card_ptr card_table::open(std::string kind, std::string name, uint64_t parent) {
  card_view v;
  v.kind = std::move(kind);
  v.name = std::move(name);
  v.parent = parent;
  v.state = "starting";
  v.spawned_ns = wall_clock_ns();
  v.since_ns = v.spawned_ns;
  std::lock_guard lock{guard_};
  auto known = histories_.find(v.kind + "/" + v.name);
  if (known != histories_.end()) {
    v.restarts = known->second.failures;
    v.last_failure = known->second.last_failure;
  }
  return std::make_shared<actor_card>(shared_from_this(), std::move(v));
}

void card_table::opened(const card_ptr& card, const caf::actor& who) {
  card->started_as(who->id());
  std::lock_guard lock{guard_};
  live_[who->id()] = {card, caf::actor_cast<caf::weak_actor_ptr>(who)};
}

caf::actor card_table::handle(uint64_t id) const {
  std::lock_guard lock{guard_};
  auto i = live_.find(id);
  if (i == live_.end())
    return {};
  auto strong = caf::actor_cast<caf::strong_actor_ptr>(i->second.who);
  return strong ? caf::actor_cast<caf::actor>(strong) : caf::actor{};
}

void card_table::close(uint64_t id, const std::string& cause) {
  std::lock_guard lock{guard_};
  auto i = live_.find(id);
  if (i == live_.end())
    return;
  i->second.card->ended(cause);
  auto v = i->second.card->view();
  live_.erase(i);
  auto in_order = cause == stopped;
  if (!in_order && (histories_.size() < histories_kept || histories_.contains(v.kind + "/" + v.name))) {
    auto& h = histories_[v.kind + "/" + v.name];
    ++h.failures;
    h.last_failure = cause;
  }
  if (in_order && v.kind == "appender")
    return; // one per stored step: they would push everything of interest out
  dead_.push_back(std::move(v));
  while (dead_.size() > dead_kept_) {
    dead_.pop_front();
    ++forgotten_;
  }
}

std::vector<card_view> card_table::list() const {
  std::lock_guard lock{guard_};
  std::vector<card_view> out;
  out.reserve(live_.size() + dead_.size());
  for (const auto& [id, x] : live_)
    out.push_back(x.card->view());
  out.insert(out.end(), dead_.begin(), dead_.end());
  return out;
}

std::string card_table::awaited(const std::string& kind) const {
  std::lock_guard lock{guard_};
  std::string out;
  for (const auto& [id, x] : live_) {
    auto v = x.card->view();
    if (v.kind != kind)
      continue;
    if (v.awaits.empty())
      return {};
    out = std::move(v.awaits);
  }
  return out;
}

uint64_t card_table::forgotten() const {
  std::lock_guard lock{guard_};
  return forgotten_;
}

} // namespace kevolve
