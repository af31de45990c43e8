#include "actors/models/model_attempts.hpp"

#include "actors/campaign/append.hpp"
#include "actors/messages/promises.hpp"
#include "actors/models/attempt_endings.hpp"
#include "actors/models/model_budget.hpp"
#include "actors/models/provider_calls.hpp"
#include "actors/synthesis/exchange.hpp"
#include "runtime/base/codec.hpp"
#include "runtime/base/log.hpp"

#include <fmt/chrono.h>

#include <algorithm>
#include <map>

namespace kevolve::model_attempts {

namespace {

std::string clock_text(llm::instant t) {
  return fmt::format("{:%H:%M:%S} UTC",
                     fmt::gmtime(std::chrono::duration_cast<std::chrono::seconds>(t.time_since_epoch()).count()));
}

std::string words_of(const std::vector<llm::passed_over>& trail, const llm::logical_call& way,
                     const std::vector<llm::provider_health>& health) {
  std::string out;
  for (const auto& t : trail) {
    auto reason = t.reason;
    for (const auto& f : way.trail)
      if (health[f.provider].name == t.provider)
        reason = f.words;
    out += (out.empty() ? "" : "; ") + t.provider + ": " + reason;
  }
  return out;
}

constexpr int most_lost = 2; // lost calls of one question, whose answers were missed because the node stopped
constexpr const char* lost = "lost";

void send(pointer self, const call_ptr& c, std::string body) {
  auto& st = self->state;
  const auto provider = *c->at;
  if (c->gone) { // withdrawn before it was sent
    provider_end e;
    e.cancelled = true;
    e.unsent = true;
    ended(self, c, e);
    return;
  }
  self->request(st.setup.sources[provider].proxy, until_answered, atom::ask_v,
                provider_request{c->serial, std::move(body), true, c->fresh})
      .then([self, c](provider_end& e) { ended(self, c, e); },
            [self, c](caf::error& error) { // its actor has ended, so the outcome of the call is unknown
              provider_end e;
              e.what = llm::failure_class::network;
              e.action = llm::failure_action::retry;
              e.words = to_string(e.what) + ": " + to_failure(error).detail;
              ended(self, c, e);
            });
}

// Reserves and records the call, then sends it. Returns false if another provider is to be tried.
bool begin_attempt(pointer self, const call_ptr& c, size_t provider) {
  auto& st = self->state;
  const auto& plan = st.setup.sources[provider].plan;
  auto body = synthesis::body_of(c->question, plan);
  if (!body) {
    c->last = llm::failure_class::bad_request;
    c->way.tried.insert(provider);
    c->way.trail.push_back({provider, now_of(st), c->last, to_string(c->last) + ": " + body.error().detail});
    return false;
  }
  const auto worst = synthesis::worst_of(c->question, c->size, plan);
  switch (reserve(self, c, provider, worst)) {
    case reserved::elsewhere:
      return false;
    case reserved::later:
      st.waiting.insert(c->serial);
      return true;
    case reserved::no:
      return true;
    case reserved::yes:
      break;
  }
  const auto epoch = llm::send(st.health[provider], c->size, now_of(st));
  if (!epoch) { // another call has become the probe in its place
    release(st, c, provider);
    st.waiting.insert(c->serial);
    return true;
  }
  c->at = provider;
  c->epoch = *epoch;
  c->question.record.calls.push_back(synthesis::begun(plan, *body, worst, number_of(st, c), st.setup.now_ns()));
  auto write = write_of(st, c, event_kind::model_called);
  write.blobs.push_back(*body);
  self->request(st.setup.journal, until_answered, atom::append_v, std::move(write))
      .then([self, c, text = std::move(*body)](uint64_t) mutable { send(self, c, std::move(text)); },
            [self, c, provider](caf::error& e) { // nothing was sent
              auto& then = self->state;
              c->question.record.calls.pop_back();
              release(then, c, provider);
              llm::ended_unheard(then.health[provider], c->epoch);
              c->at.reset();
              finish(self, c, std::move(e));
              landed(self);
            });
  return true;
}

// Returns the call in progress when the node went down; null if there was none.
call_record* cut_off(exchange_record& r) {
  return !r.calls.empty() && r.calls.back().ended_ns == 0 ? &r.calls.back() : nullptr;
}

// Returns true if calls were lost so often that none is made again.
bool lost_too_often(const exchange_record& r) {
  return std::count_if(r.calls.begin(), r.calls.end(), [](const auto& call) { return call.outcome == lost; })
         >= most_lost;
}

// Stores a call as lost whose answer was missed because the node stopped, before another is made.
void took_stop(pointer self, const call_ptr& c, call_record& cut) {
  cut.ended_ns = self->state.setup.now_ns();
  cut.outcome = lost;
  cut.detail = "the node went down before the answer came";
  took_nothing(self, c, {}, [self, c] {
    if (c->gone)
      finish(self, c, to_error({errc::cancelled, "withdrawn"}));
    else
      go_on(self, c);
  });
}

// Returns the providers to which this question may be sent, in the order of trying.
std::vector<size_t> open_to(const models_state& st, const call_ptr& c) {
  std::vector<size_t> out;
  const auto& sources = st.setup.sources;
  const auto& wanted = c->question.terms.providers;
  for (const auto& name : wanted)
    for (size_t i = 0; i < sources.size(); ++i)
      if (sources[i].plan.name == name)
        out.push_back(i);
  for (size_t i = 0; wanted.empty() && i < sources.size(); ++i)
    out.push_back(i);
  return out;
}

} // namespace

std::vector<call_ptr> heirs_of(const models_state& st, const call_ptr& c) {
  std::vector<call_ptr> out;
  const auto same = st.asked.find(c->question.record.id);
  if (same == st.asked.end())
    return out;
  for (auto it = same->second.upper_bound(c->serial); it != same->second.end(); ++it)
    if (const auto& other = st.calls.at(*it); !other->at && !other->storing)
      out.push_back(other);
  return out;
}

namespace {

// Returns true if an earlier, cancelled call of the same question has not ended; the record belongs to that call until
// then.
bool has_predecessor(const models_state& st, const call_ptr& c) {
  const auto same = st.asked.find(c->question.record.id);
  return same != st.asked.end() && *same->second.begin() < c->serial;
}

} // namespace

llm::instant now_of(const models_state& st) {
  return llm::instant{llm::milliseconds{st.setup.now_ns() / ns_per_ms}};
}

void tell(pointer self) {
  constexpr llm::milliseconds short_rest{120'000}; // so short that campaigns need not look elsewhere
  auto& st = self->state;
  st.own_status->says(std::to_string(st.calls.size()) + " under way");
  const auto now = now_of(st);
  std::optional<llm::instant> first;
  std::map<std::string, std::string> held;
  for (const auto& h : st.health) {
    const auto rest = llm::rest_of(h, now);
    const bool is_tried = h.breaking.phase == llm::breaker_phase::half_open;
    if (!rest && h.breaking.phase == llm::breaker_phase::closed && st.named.erase(h.name) != 0)
      log::info("models", "provider {} may be asked again", h.name);
    if (!rest || (rest->failing && is_tried) || (rest->until && !rest->failing && *rest->until - now <= short_rest))
      continue;
    held[h.name] = rest->because + "; "
                   + (rest->until ? "asked again at " + clock_text(*rest->until)
                                  : "once mended: kevolve provider resume " + h.name);
    const auto named = st.named.find(h.name);
    if (named == st.named.end() || (!rest->until && !named->second))
      log::warn("models", "provider {} {}: {}", h.name,
                rest->until ? "is suspended" : "is on hold until somebody resumes it", rest->because);
    st.named.insert_or_assign(h.name, !rest->until);
    if (rest->until)
      first = std::min(first.value_or(*rest->until), *rest->until);
  }
  st.setup.board->hold(std::move(held));
  if (!first || (st.looks_again && *st.looks_again <= *first))
    return;
  st.looks_again = first;
  self->delayed_send(self, *first - now, atom::tick_v, uint64_t{0});
}

void landed(pointer self) {
  const auto all = std::exchange(self->state.waiting, {});
  for (const auto serial : all)
    if (const auto c = self->state.calls.find(serial); c != self->state.calls.end())
      go_on(self, call_ptr{c->second});
}

void give_up(pointer self, const call_ptr& c, const std::string& why) {
  auto code = errc::unavailable;
  if (synthesis::was_never_read(c->last))
    code = errc::cancelled;
  else if (synthesis::is_about_the_request(c->last))
    code = errc::bad_input;
  finish(self, c, to_error({code, why}));
}

void go_on(pointer self, const call_ptr& c) {
  auto& st = self->state;
  if (!st.calls.contains(c->serial) || c->at || c->storing)
    return;
  st.waiting.erase(c->serial);
  c->timer = 0;
  c->backs_off.reset();
  if (has_predecessor(st, c)) {
    st.waiting.insert(c->serial);
    return;
  }
  if (auto* cut = cut_off(c->question.record)) {
    took_stop(self, c, *cut);
    return;
  }
  if (lost_too_often(c->question.record)) {
    finish(self, c,
           to_error({errc::bad_input, "asked twice, and each time the node went down before the answer came"}));
    return;
  }
  for (;;) {
    const auto way = llm::choose(st.health, open_to(st, c), c->way.tried, c->size, now_of(st));
    if (way.provider) {
      if (begin_attempt(self, c, *way.provider))
        return;
      continue;
    }
    const auto& terms = c->question.terms;
    if ((!way.wait && !way.one_lands) || (!terms.may_wait && !st.setup.board->held(terms.providers).empty())) {
      const auto* what = c->way.tried.empty() ? "no provider can be asked: " : "no provider answers this: ";
      give_up(self, c, what + words_of(way.trail, c->way, st.health));
      return;
    }
    if (way.wait)
      later(self, c, *way.wait, [self, c] { go_on(self, c); });
    st.waiting.insert(c->serial);
    return;
  }
}

} // namespace kevolve::model_attempts
