#include "actors/messages/messages.hpp"

#include "runtime/base/codec.hpp"

#include <caf/exit_reason.hpp>
#include <caf/message.hpp>
#include <caf/sec.hpp>

#include <array>

namespace kevolve {

std::string to_string(event_kind k) {
  static constexpr std::array<const char*, 23> names{
      "unknown",          "campaign_submitted", "session_started",    "campaign_prepared", "node_selected",
      "node_proposed",    "evaluation_intent",  "evaluation_result",  "node_finished",     "node_faulted",
      "champion_changed", "campaign_state",     "campaign_finished",  "node_confirmed",    "campaign_steered",
      "node_amended",     "campaign_ran",       "model_asked",        "model_answered",    "model_called",
      "model_call_ended", "campaign_batch",     "campaign_forgotten",
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

failure to_failure(const caf::error& x) {
  if (!x)
    return {};
  if (x.category() == caf::atom("kevolve")) {
    failure f{static_cast<errc>(x.code()), {}};
    if (x.context().match_elements<std::string>())
      f.detail = x.context().get_as<std::string>(0);
    return f;
  }
  if (x == caf::sec::request_timeout)
    return {errc::timed_out, "no answer in time"};
  if (x.category() == caf::atom("exit"))
    return {errc::unavailable, "the actor has stopped"};
  return {errc::unavailable, "the actor is down (" + to_string(x) + ")"};
}

} // namespace kevolve
