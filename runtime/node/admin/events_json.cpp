#include "actors/messages/exchange_records.hpp"
#include "runtime/base/codec.hpp"
#include "runtime/node/admin/models_json.hpp"
#include "runtime/node/admin/records_json.hpp"
#include "runtime/node/admin/skills_json.hpp"

namespace kevolve {

namespace {

json of(const campaign_submission& x) {
  return {{"name", x.name}, {"directory", x.directory}, {"seed", x.seed}};
}
json of(const session_record& x) {
  return {{"node", to_string(x.node)}, {"epoch", x.epoch}};
}
json of(const preparation& x) {
  return {{"task", to_string(x.task)},
          {"syntax_tree", !x.syntax_tree.empty()},
          {"syntax_note", or_null(x.syntax_note)},
          {"fingerprint", {{"harness", x.harness}, {"toolchain", x.toolchain}, {"device", x.device}}},
          {"admission", to_json(x.admission, false)},
          {"peaks", x.peaks}};
}
json of(const selection_record& x) {
  auto skills = json::array();
  for (const auto& s : x.skills)
    skills.push_back(to_json(s));
  return {{"index", x.index},
          {"node", to_string(x.node)},
          {"parents", x.parents},
          {"policy", x.policy},
          {"memory", x.memory},
          {"statistics", x.statistics},
          {"draft", x.draft},
          {"seed", x.seed},
          {"tree_hash", to_string(x.tree_hash)},
          {"skills", std::move(skills)}};
}
json of(const proposal_record& x) {
  return {{"index", x.index},          {"candidate", to_string(x.candidate)},
          {"source_sha256", x.source}, {"language", x.language},
          {"flags", x.flags},          {"generator", x.generator},
          {"summary", x.summary},      {"propose_ns", x.propose_ns}};
}
json of(const intent_record& x) {
  return {{"index", x.index}, {"evaluation", to_string(x.evaluation)}, {"stage", x.stage}, {"epoch", x.epoch}};
}
json of(const node_record& x) {
  return to_json(x);
}
json of(const fault_record& x) {
  return {{"index", x.index}, {"fault", to_json(x.trouble)}, {"tree_hash", to_string(x.tree_hash)}};
}
json of(const champion_record& x) {
  json out{{"index", x.index}, {"speedup", x.speedup}, {"tree_hash", to_string(x.tree_hash)}};
  add_interval(out, x, {}); // the node's end has its basis
  return out;
}
json of(const profiling_record& x) {
  return {{"candidate", x.index},
          {"bound", or_null(x.bound)},
          {"share", x.share},
          {"confidence", x.confidence},
          {"line", x.line == 0 ? json(nullptr) : json(x.line)},
          {"seconds", x.seconds},
          {"perturbation", x.perturbation > 0.0 ? json(x.perturbation) : json(nullptr)},
          {"failure", or_null(x.failure)}};
}

json of(const switch_record& x) {
  return {{"index", x.index}, {"from", x.from}, {"to", x.to}, {"reason", x.reason}};
}
json of(const confirmation_record& x) {
  return {{"index", x.index},
          {"stage", x.stage},
          {"test", x.test == 0 ? json(nullptr) : json(x.test)},
          {"level", x.test == 0 ? json(nullptr) : json(x.level)},
          {"log_e", x.log_e},
          {"discovery", x.discovery}};
}
json of(const amendment_record& x) {
  json out{{"index", x.index},
           {"verdict", to_string(x.result)},
           {"rule", or_null(x.rule)},
           {"detail", or_null(x.detail)},
           {"speedup", x.speedup},
           {"confirmed", x.confirmed},
           {"tree_hash", to_string(x.tree_hash)},
           {"reused_from", to_json(x.reused_from)}};
  add_interval(out, x, x.basis);
  return out;
}
json of(const state_record& x) {
  return {{"state", to_string(x.state)}, {"reason", or_null(x.reason)}};
}
json of(const run_record& x) {
  return {{"wall_s", static_cast<double>(x.wall_ns) / 1e9}};
}
json of(const steering_record& x) {
  json out{{"serial", x.serial}, {"action", to_string(x.action)}, {"by", or_null(x.by)}, {"reason", or_null(x.reason)}};
  if (x.index != 0)
    out["index"] = x.index;
  if (x.action == steer_action::priority)
    out["priority"] = x.priority;
  if (x.action == steer_action::budget)
    out["budget"] = {{"candidates", x.budget.candidates == 0 ? json(nullptr) : json(x.budget.candidates)},
                     {"wall_s", x.budget.wall_s == 0 ? json(nullptr) : json(x.budget.wall_s)},
                     {"device_s", x.budget.device_s == 0 ? json(nullptr) : json(x.budget.device_s)}};
  if (x.candidate)
    out["candidate"] = to_string(x.candidate);
  if (x.origin)
    out["origin"] = {{"campaign", to_string(x.origin)}, {"candidate", x.origin_node}, {"node", x.origin_node}};
  out["tree_hash"] = to_string(x.tree_hash);
  out["steering_hash"] = to_string(x.steering_hash);
  return out;
}
json of(const exchange_event& x) {
  return {{"prompt", to_string(x.id)},  {"index", x.id.node},  {"generator", x.kind},
          {"tokens", x.tokens},         {"by", or_null(x.by)}, {"outcome", or_null(x.outcome)},
          {"detail", or_null(x.detail)}};
}
json of(const call_event& x) {
  auto out = to_json(x.call);
  out["prompt"] = to_string(x.id);
  out["index"] = x.id.node;
  out["spent"] = to_json(x.spent);
  return out;
}
json of(const batch_record& x) {
  return {{"batch", to_string(x.batch)},
          {"action", to_string(x.action)},
          {"by", or_null(x.by)},
          {"candidates", x.candidates},
          {"events", x.events}};
}
json of(const forgotten_record& x) {
  return {{"campaign", to_string(x.campaign)}, {"name", x.name}, {"candidates", x.candidates}};
}
json of(const finish_record& x) {
  json out{{"state", to_string(x.state)},
           {"stop_reason", to_string(x.stop_reason)},
           {"detail", x.detail},
           {"best", x.best == 0 ? json(nullptr) : json(x.best)},
           {"speedup", x.speedup},
           {"outputs", outputs_json(x.outputs, x.speedup)},
           {"shapes", to_json(x.shapes, basis_of(x))},
           {"reused_from", to_json(x.reused_from)}};
  add_interval(out, x, basis_of(x));
  add_baselines(out, x.baselines);
  return out;
}

template <class T>
json decoded(const std::string& payload) {
  auto x = decode_older<T>(payload);
  return x ? of(*x) : json{{"undecodable", to_string(x.error())}};
}

json data_of(const journal_event& e) {
  switch (e.kind) {
    case event_kind::campaign_submitted:
      return decoded<campaign_submission>(e.payload);
    case event_kind::session_started:
      return decoded<session_record>(e.payload);
    case event_kind::campaign_prepared:
      return decoded<preparation>(e.payload);
    case event_kind::node_selected:
      return decoded<selection_record>(e.payload);
    case event_kind::node_proposed:
      return decoded<proposal_record>(e.payload);
    case event_kind::evaluation_intent:
    case event_kind::evaluation_result:
      return decoded<intent_record>(e.payload);
    case event_kind::node_finished:
      return decoded<node_record>(e.payload);
    case event_kind::node_faulted:
      return decoded<fault_record>(e.payload);
    case event_kind::champion_changed:
      return decoded<champion_record>(e.payload);
    case event_kind::node_confirmed:
      return decoded<confirmation_record>(e.payload);
    case event_kind::node_amended:
      return decoded<amendment_record>(e.payload);
    case event_kind::campaign_steered:
      return decoded<steering_record>(e.payload);
    case event_kind::campaign_ran:
      return decoded<run_record>(e.payload);
    case event_kind::campaign_state:
      return decoded<state_record>(e.payload);
    case event_kind::campaign_finished:
      return decoded<finish_record>(e.payload);
    case event_kind::model_asked:
    case event_kind::model_answered:
      return decoded<exchange_event>(e.payload);
    case event_kind::model_called:
    case event_kind::model_call_ended:
      return decoded<call_event>(e.payload);
    case event_kind::campaign_batch:
      return decoded<batch_record>(e.payload);
    case event_kind::campaign_forgotten:
      return decoded<forgotten_record>(e.payload);
    case event_kind::profile_begun:
    case event_kind::candidate_profiled:
      return decoded<profiling_record>(e.payload);
    case event_kind::search_switched:
      return decoded<switch_record>(e.payload);
  }
  return {{"undecodable", "an event of an unknown kind"}};
}

} // namespace

json to_json(const journal_event& e) {
  return {{"sequence", e.sequence},
          {"campaign", e.campaign ? json(to_string(e.campaign)) : json(nullptr)},
          {"time", time_json(e.time_ns)},
          {"kind", to_string(e.kind)},
          {"data", data_of(e)}};
}

} // namespace kevolve
