#include "actors/messages/messages.hpp"

#include "actors/messages/step_end.hpp"
#include "runtime/base/codec.hpp"

#include <caf/exit_reason.hpp>
#include <caf/message.hpp>
#include <caf/sec.hpp>

#include <array>

namespace kevolve {

std::string to_string(event_kind k) {
  static constexpr std::array<const char*, 26> names{
      "unknown",           "campaign_submitted", "session_started",    "campaign_prepared",
      "node_selected",     "node_proposed",      "evaluation_intent",  "evaluation_result",
      "node_finished",     "node_faulted",       "champion_changed",   "campaign_state",
      "campaign_finished", "node_confirmed",     "campaign_steered",   "node_amended",
      "campaign_ran",      "model_asked",        "model_answered",     "model_called",
      "model_call_ended",  "campaign_batch",     "campaign_forgotten", "search_switched",
      "profile_begun",     "candidate_profiled",
  };
  auto i = static_cast<size_t>(k);
  return i < names.size() ? names[i] : names[0];
}

id128 candidate_id(const candidate& c) {
  candidate content; // only its content, not its origin
  content.language = c.language;
  content.source = c.source;
  content.flags = c.flags;
  return derive_id("candidate", encode(content));
}

id128 campaign_id(const campaign_submission& submission) {
  return derive_id("campaign", encode(submission));
}

caf::error to_error(const failure& x) {
  return caf::make_error(x.code, x.detail);
}

caf::error to_error(no_verdict why, const std::string& detail) {
  return caf::make_error(why, detail);
}

no_verdict no_verdict_of(const caf::error& x) {
  return x && x.category() == caf::atom("no_verdict") ? static_cast<no_verdict>(x.code()) : no_verdict::none;
}

namespace {

// The code that stands for the end of a step where only a failure can be told, as in a pure generator.
struct step_end {
  no_verdict why;
  errc code;
};
constexpr std::array step_ends{step_end{no_verdict::exhausted, errc::unsupported},
                               step_end{no_verdict::no_candidate, errc::bad_input},
                               step_end{no_verdict::withdrawn, errc::cancelled}};

errc code_of(no_verdict x) {
  for (const auto& e : step_ends)
    if (e.why == x)
      return e.code;
  return errc::internal;
}

std::string detail_of(const caf::error& x) {
  return x.context().match_elements<std::string>() ? x.context().get_as<std::string>(0) : std::string{};
}

} // namespace

caf::error end_of_step(const failure& why) {
  for (const auto& e : step_ends)
    if (e.code == why.code)
      return to_error(e.why, why.detail);
  return to_error(why);
}

failure to_failure(const caf::error& x) {
  if (!x)
    return {};
  if (x.category() == caf::atom("kevolve"))
    return {static_cast<errc>(x.code()), detail_of(x)};
  if (const auto why = no_verdict_of(x); why != no_verdict::none)
    return {code_of(why), detail_of(x)};
  if (x == caf::sec::request_timeout)
    return {errc::timed_out, "no answer in time"};
  if (x.category() == caf::atom("exit"))
    return {errc::unavailable, "the actor has stopped"};
  return {errc::unavailable, "the actor is down (" + to_string(x) + ")"};
}

} // namespace kevolve
