// The data from which the page draws a campaign: a short history, and its task.
#include "actors/messages/keys.hpp"
#include "config/campaign.hpp"
#include "config/task_weights.hpp"
#include "runtime/base/base64.hpp"
#include "runtime/base/codec.hpp"
#include "runtime/base/expression.hpp"
#include "runtime/node/admin/api.hpp"
#include "runtime/node/admin/records_json.hpp"

#include <initializer_list>

namespace kevolve::handlers {

namespace {

constexpr uint32_t events_a_read = 4'096;

json only(const json& from, std::initializer_list<const char*> keys) {
  json out = json::object();
  for (const auto* key : keys)
    if (auto i = from.find(key); i != from.end())
      out[key] = *i;
  return out;
}

// Returns the parts of an event that the tree and the curves need; nothing for other kinds.
json brief_of(const journal_event& e) {
  auto whole = to_json(e);
  const auto& data = whole["data"];
  json brief;
  switch (e.kind) {
    case event_kind::evaluation_intent:
    case event_kind::evaluation_result:
      return nullptr;
    case event_kind::campaign_prepared:
      brief = only(data, {"fingerprint", "peaks", "admission"});
      break;
    case event_kind::node_selected:
      brief = only(data, {"index", "parents", "policy", "memory", "draft"});
      brief["island"] = data["statistics"].value("island", 0.0);
      break;
    case event_kind::node_proposed:
      brief = only(data, {"index", "generator", "summary"});
      break;
    case event_kind::node_finished:
      brief =
          only(data, {"index", "parents", "verdict", "rule", "speedup", "ci95", "interval", "coverage", "pairs",
                      "sessions", "estimate", "confirmed", "baseline", "rival", "duplicate_of", "reused_from", "cost"});
      brief["proposal"] = only(data["proposal"], {"generator", "summary"});
      break;
    default:
      brief = data;
  }
  whole["data"] = std::move(brief);
  whole.erase("campaign");
  return whole;
}

// Returns the declared amount of work at one shape; null if it is not declared or depends on the data.
json amount_json(const std::string& text, const size_map& sizes) {
  auto e = text.empty() ? result<expression>{fail(errc::not_found, "no work")} : expression::parse(text);
  if (!e)
    return nullptr;
  auto x = e->evaluate(sizes);
  return x ? json(*x) : json(nullptr);
}

json shape_json(const contract& task, const shape_case& shape) {
  auto sizes = shape.sizes;
  for (const auto& [name, text] : task.derived)
    if (auto e = expression::parse(text); e)
      if (auto x = e->evaluate(sizes); x)
        sizes[name] = *x;
  return {{"shape", shape.name},
          {"held_out", shape.held_out},
          {"weight", shape.weight},
          {"flops", amount_json(task.work_flops, sizes)},
          {"bytes", amount_json(task.work_bytes, sizes)}};
}

// Returns the files of the task as submitted; they contain the whole operator.
json files_json(const task_spec& spec) {
  json out{{"task", spec.text}, {"reference", spec.reference_source}, {"oracle", nullptr}};
  if (!spec.oracle_source.empty())
    out["oracle"] = spec.oracle_source;
  for (const auto& [name, content] : spec.files)
    out["others"][name] = is_weights_file(name) ? json{{"base64", to_base64(content)}} : json(content);
  return out;
}

json task_json(const campaign_spec& spec) {
  const auto& task = spec.task.task;
  auto shapes = json::array();
  for (const auto& s : task.shapes)
    shapes.push_back(shape_json(task, s));
  return {{"name", task.name},
          {"family", task.family},
          {"summary", task.summary},
          {"language", task.language},
          {"prototype", c_prototype(task)},
          {"work", {{"flops", or_null(task.work_flops)}, {"bytes", or_null(task.work_bytes)}}},
          {"shapes", std::move(shapes)},
          {"files", files_json(spec.task)}};
}

} // namespace

void history(const call_ptr& c) {
  with_campaign(c, c->path.at("id"), [c](const campaign_status& s) {
    auto after = c->integer("after", 0);
    ask<std::vector<journal_event>>(
        c, c->context->journal,
        [c, after](std::vector<journal_event>& events) {
          if (refused_beyond_the_end(c, events.empty()))
            return;
          auto items = json::array();
          for (const auto& e : events)
            if (auto brief = brief_of(e); !brief.is_null())
              items.push_back(std::move(brief));
          c->reply(json{{"items", std::move(items)},
                        {"last_sequence", events.empty() ? after : events.back().sequence},
                        {"truncated", events.size() == events_a_read}});
        },
        atom::events_v, s.id, after, events_a_read);
  });
}

void task(const call_ptr& c) {
  with_campaign(c, c->path.at("id"), [c](const campaign_status& s) {
    ask<std::string>(
        c, c->context->journal,
        [c](std::string& bytes) {
          auto submission = decode<campaign_submission>(bytes);
          auto spec = submission ? decode_older<campaign_spec>(submission->spec) : tl::unexpected(submission.error());
          if (spec)
            c->reply(task_json(*spec));
          else
            c->refuse(spec.error());
        },
        atom::lookup_v, std::string{keys::index}, keys::campaign(s.id));
  });
}

} // namespace kevolve::handlers
