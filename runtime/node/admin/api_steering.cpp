// Steering over HTTP: campaigns are submitted, forked, and changed while they run or wait.
#include "actors/campaign/campaign_fold.hpp"
#include "actors/messages/keys.hpp"
#include "runtime/base/base64.hpp"
#include "runtime/base/codec.hpp"
#include "runtime/base/kinds.hpp"
#include "runtime/base/printable.hpp"
#include "runtime/node/admin/api.hpp"
#include "runtime/node/admin/records_json.hpp"
#include "runtime/node/admin/submission.hpp"

#include <charconv>
#include <optional>
#include <type_traits>

namespace kevolve::handlers {

namespace {

constexpr double longest_wall_s = 1e9;
constexpr double most_candidates = 1e12;

std::string text_of(const call_ptr& c, const char* key) {
  auto i = c->body.find(key);
  return i == c->body.end() || !i->is_string() ? std::string{} : i->get<std::string>();
}

bool read_budget(const call_ptr& c, steer_request& q) {
  auto number = [&](const char* key, auto& value) {
    auto i = c->body.find(key);
    if (i == c->body.end())
      return false;
    using type = std::remove_reference_t<decltype(value)>;
    value = i->is_null() ? type{} : i->template get<type>();
    return true;
  };
  q.set_candidates = number("candidates", q.budget.candidates);
  q.set_wall = number("wall_s", q.budget.wall_s);
  q.set_device = number("device_s", q.budget.device_s);
  return q.set_candidates || q.set_wall || q.set_device;
}

json to_json(const steer_answer& a) {
  auto out = kevolve::to_json(a.status);
  out["changed"] = a.changed;
  return out;
}

// A campaign answers bad input to a request that is well-formed JSON but impossible: 422 instead of 400.
void refuse(const call_ptr& c, const failure& why) {
  if (why.code == errc::bad_input)
    c->refuse(invalid({{"", why.detail}}));
  else
    c->refuse(why);
}

void steer(const call_ptr& c, steer_request q, std::function<void(const steer_answer&)> reply = {}) {
  q.by = asker(c);
  q.reason = text_of(c, "reason");
  if (!reply)
    reply = [c](const steer_answer& a) { c->reply(to_json(a)); };
  with_campaign(c, c->path.at("id"), [c, q, reply](const campaign_status& s) {
    with_steerable(c, s, q.action == steer_action::budget, [c, q, reply](const campaign_actor& whom) {
      ask_or<steer_answer>(
          c, whom, [reply](steer_answer& a) { reply(a); }, [c](const failure& why) { refuse(c, why); }, atom::steer_v,
          q);
    });
  });
}

// Returns the number in the path's {index}, or refuses the call.
std::optional<uint64_t> index_of(const call_ptr& c) {
  const auto& digits = c->path.at("index");
  uint64_t index = 0;
  auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), index);
  if (error == std::errc{} && end == digits.data() + digits.size())
    return index;
  c->refuse(failure{errc::bad_input, "a candidate is named by its index, a whole number"});
  return std::nullopt;
}

void steer_node(const call_ptr& c, steer_action action) {
  auto index = index_of(c);
  if (!index)
    return;
  steer_request q;
  q.action = action;
  q.index = *index;
  steer(c, std::move(q));
}

// The location of the files is not part of a campaign's identity: submitted twice, it is the same campaign.
id128 id_of_content(campaign_spec spec, campaign_submission submission) {
  submission.spec = identity_bytes(std::move(spec));
  submission.directory.clear();
  return campaign_id(submission);
}

// `known`: the campaign was submitted before and is not changed.
void take_up(const call_ptr& c, const id128& id, const campaign_submission& submission, const campaign_start& how,
             bool known) {
  ask_or<campaign_status>(
      c, c->context->campaigns,
      // The directory answers before the campaign has read its own state.
      [c, id, known](campaign_status&) {
        with_campaign(c, to_string(id), [c, known](const campaign_status& s) {
          auto out = kevolve::to_json(s);
          out["known"] = known;
          c->reply(out);
        });
      },
      [c](const failure& why) {
        if (why.code == errc::unsupported)
          c->refuse(invalid({{"files", why.detail}}));
        else
          c->refuse(why);
      },
      atom::submit_v, id, submission, how);
}

void start(const call_ptr& c, const id128& id, const campaign_submission& submission, const campaign_start& how) {
  ask_or<std::string>(
      c, c->context->journal, [=](std::string&) { take_up(c, id, submission, how, true); },
      [=](const failure& why) {
        if (why.code == errc::not_found)
          take_up(c, id, submission, how, false);
        else
          c->refuse(why);
      },
      atom::lookup_v, std::string{keys::index}, keys::campaign(id));
}

uint32_t priority_of(const call_ptr& c, uint32_t fallback) {
  auto i = c->body.find("priority");
  return i == c->body.end() ? fallback : i->get<uint32_t>();
}

// The parts that a fork takes over, filled in as they are read.
struct forked {
  campaign_status origin;
  uint64_t index = 0;
  campaign_submission submission;
  campaign_spec spec;
  candidate first;
};

void begin_fork(const call_ptr& c, forked& f) {
  auto& b = f.spec.budget;
  b.candidates = static_cast<int64_t>(f.origin.budget_candidates);
  b.wall_s = f.origin.budget_wall_s;
  b.device_s = f.origin.budget_device_s;
  steer_request q;
  read_budget(c, q);
  if (q.set_candidates)
    b.candidates = static_cast<int64_t>(q.budget.candidates);
  if (q.set_wall)
    b.wall_s = q.budget.wall_s;
  if (q.set_device)
    b.device_s = q.budget.device_s;
  if (b.candidates == 0 && b.wall_s == 0.0 && b.device_s == 0.0 && f.spec.stop.stall == 0) {
    c->refuse(invalid({{"", "nothing would bound the campaign: leave it a budget"}}));
    return;
  }
  if (auto i = c->body.find("seed"); i != c->body.end())
    f.spec.seed = i->get<uint64_t>();
  campaign_submission s;
  s.name = text_of(c, "name").empty() ? f.submission.name : printable(text_of(c, "name"));
  s.directory = f.submission.directory;
  s.spec = encode(f.spec);
  s.seed = f.spec.seed;
  campaign_start how;
  how.priority = priority_of(c, f.origin.priority);
  how.by = asker(c);
  how.origin = f.origin.id;
  how.origin_node = f.index;
  how.first = f.first;
  // The same fork requested twice is one campaign.
  auto id = derive_id("fork", encode(f.origin.id) + encode(f.index) + encode(s));
  start(c, id, s, how);
}

void read_fork(const call_ptr& c, const std::shared_ptr<forked>& f) {
  auto record = [c, f](std::string& bytes) {
    auto node = decode_older<node_record>(bytes);
    if (!node || node->proposal.source.empty()) {
      c->refuse(failure{errc::conflict, "candidate " + std::to_string(f->index) + " has no source to go on from"});
      return;
    }
    ask<std::string>(
        c, c->context->journal,
        [c, f, p = node->proposal](std::string& source) {
          f->first = {p.language,
                      std::move(source),
                      p.flags,
                      p.generator,
                      p.genome,
                      "candidate " + std::to_string(f->index) + " of " + short_string(f->origin.id) + ": " + p.summary};
          begin_fork(c, *f);
        },
        atom::blob_v, node->proposal.source);
  };
  auto submission = [c, f, record](std::string& bytes) {
    auto s = decode<campaign_submission>(bytes);
    auto spec = s ? decode_older<campaign_spec>(s->spec) : tl::unexpected(s.error());
    if (!spec) {
      c->refuse(spec.error());
      return;
    }
    f->submission = std::move(*s);
    f->spec = std::move(*spec);
    ask_or<std::string>(
        c, c->context->journal, record,
        [c, f](const failure& why) {
          if (why.code == errc::not_found)
            c->refuse(failure{errc::not_found, "the campaign has no candidate " + std::to_string(f->index)});
          else
            c->refuse(why);
        },
        atom::lookup_v, std::string{keys::nodes}, keys::node(f->origin.id, f->index));
  };
  ask<std::string>(c, c->context->journal, submission, atom::lookup_v, std::string{keys::index},
                   keys::campaign(f->origin.id));
}

void submit(const call_ptr& c) {
  submitted_files from;
  from.file = text_of(c, "file");
  from.files = c->body["files"].get<std::map<std::string, std::string>>();
  if (auto i = c->body.find("binary_files"); i != c->body.end())
    for (const auto& [name, text] : i->get<std::map<std::string, std::string>>()) {
      auto bytes = from_base64(text);
      if (!bytes || from.files.contains(name)) {
        c->refuse(
            invalid({{"binary_files", bytes ? "'" + name + "' is among files, too" : "'" + name + "' is no base64"}}));
        return;
      }
      from.files[name] = std::move(*bytes);
    }
  if (auto i = c->body.find("overrides"); i != c->body.end())
    from.overrides = i->get<std::vector<std::string>>();
  auto spec = load_submitted(from);
  if (!spec) {
    c->refuse(invalid(std::move(spec.error())));
    return;
  }
  campaign_submission s;
  s.name = spec->task.task.name;
  s.directory = printable(text_of(c, "directory"));
  s.spec = encode(*spec);
  s.seed = spec->seed;
  campaign_start how;
  how.priority = priority_of(c, default_priority);
  how.by = asker(c);
  start(c, id_of_content(*spec, s), s, how);
}

void priority(const call_ptr& c) {
  steer_request q;
  q.action = steer_action::priority;
  q.priority = priority_of(c, default_priority);
  steer(c, std::move(q));
}

void budget(const call_ptr& c) {
  steer_request q;
  q.action = steer_action::budget;
  if (read_budget(c, q))
    steer(c, std::move(q));
  else
    c->refuse(invalid({{"", "give candidates, wall_s or device_s: a number, or null for no limit"}}));
}

void inject(const call_ptr& c) {
  steer_request q;
  q.action = steer_action::inject;
  auto parent = c->body.find("parent");
  q.index = parent == c->body.end() ? 0 : parent->get<uint64_t>();
  q.what.source = text_of(c, "source");
  q.what.flags = text_of(c, "flags");
  q.what.language = text_of(c, "language");
  steer(c, std::move(q), [c](const steer_answer& a) {
    auto out = to_json(a);
    out["candidate"] = a.index;
    out["node"] = a.index;
    c->reply(out);
  });
}

void fork(const call_ptr& c) {
  auto index = index_of(c);
  if (!index)
    return;
  if (*index == 0) {
    c->refuse(
        invalid({{"", "candidate 0 is the reference: submit the campaign's file again instead, with another seed"}}));
    return;
  }
  with_campaign(c, c->path.at("id"), [c, index](const campaign_status& s) {
    auto f = std::make_shared<forked>();
    f->origin = s;
    f->index = *index;
    read_fork(c, f);
  });
}

body_field priority_field(bool required) {
  return number_field("priority", "share of a busy node, against other campaigns'", body_type::integer, 1,
                      most_priority, required);
}

std::vector<body_field> budget_fields() {
  std::vector<body_field> out{
      number_field("candidates", "candidates in all; null: no limit", body_type::integer, 1, most_candidates),
      number_field("wall_s", "seconds by the clock in all; null: no limit", body_type::number, 0.001, longest_wall_s),
      number_field("device_s", "seconds under a device lease in all; null: no limit", body_type::number, 0.001,
                   longest_wall_s)};
  for (auto& f : out)
    f.nullable = true;
  return out;
}

std::vector<body_field> submit_fields() {
  auto files =
      text_field("files", "the texts of the campaign file, the task and its sources, by relative path", 0, true);
  files.type = body_type::table;
  auto binary =
      text_field("binary_files", "files that are no texts, as a task's weights: in base64, by relative path", 0);
  binary.type = body_type::table;
  auto overrides = text_field("overrides", "key=value, over the file's", 0);
  overrides.type = body_type::texts;
  return {text_field("file", "the campaign file, by its name in files", 200, true),
          files,
          binary,
          overrides,
          text_field("directory", "where the files came from, for people", 4096),
          priority_field(false)};
}

std::vector<body_field> inject_fields() {
  return {
      text_field("source", "the source text", 1U << 20U, true),
      text_field("flags", "a flag set of the target's menu", 64, true),
      text_field("language", "of the source; the target's first if not given", 0, false, candidate_language_names()),
      number_field("parent", "index of the candidate to stand under; 0, the reference, if not given",
                   body_type::integer, 0, 1e15)};
}

std::vector<body_field> fork_fields() {
  auto out = budget_fields();
  out.push_back(number_field("seed", "of the fork's random choices", body_type::integer, 0, 9e15));
  out.push_back(text_field("name", "of the fork", 100));
  out.push_back(priority_field(false));
  return out;
}

} // namespace

std::vector<route> steering_routes() {
  std::vector<route> t;
  auto add = [&t](std::string pattern, std::string id, std::string summary, std::vector<body_field> fields,
                  std::function<void(const call_ptr&)> f) {
    route r;
    r.method = "POST";
    r.pattern = std::move(pattern);
    r.id = std::move(id);
    r.summary = std::move(summary);
    r.fields = std::move(fields);
    r.fields.push_back(text_field("by", "who asks, kept with the event", 64));
    r.handler = std::move(f);
    return &t.emplace_back(std::move(r));
  };
  const auto reason = text_field("reason", "kept with the event", 500);
  add("/v1/campaigns", "submit_campaign", "Start a campaign from its files; the same files again are the same campaign",
      submit_fields(), submit);
  add("/v1/campaigns/{id}/priority", "set_priority", "Change a campaign's share of the node", {priority_field(true)},
      priority)
      ->fields.push_back(reason);
  add("/v1/campaigns/{id}/budget", "set_budget",
      "Change what a campaign may spend in all; one that its budget ended may be resumed then", budget_fields(), budget)
      ->fields.push_back(reason);
  add("/v1/campaigns/{id}/inject", "inject_candidate", "Put a candidate into the tree; it is judged like any other",
      inject_fields(), inject)
      ->fields.push_back(reason);
  struct wish {
    steer_action action;
    const char* about;
  };
  for (const auto& w :
       {wish{steer_action::pin, "Always let the candidate be improved on"},
        wish{steer_action::unpin, "Take the pin back"},
        wish{steer_action::ban, "Never select the candidate and what is below it again, nor let it be the best"},
        wish{steer_action::unban, "Take the ban back"}})
    add("/v1/campaigns/{id}/candidates/{index}/" + to_string(w.action), to_string(w.action) + "_candidate", w.about,
        {reason}, [action = w.action](const call_ptr& c) { steer_node(c, action); });
  add("/v1/campaigns/{id}/candidates/{index}/fork", "fork_candidate",
      "Start a campaign of the same task whose first draft is this candidate's source", fork_fields(), fork);
  return t;
}

} // namespace kevolve::handlers
