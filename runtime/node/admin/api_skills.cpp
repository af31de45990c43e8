// The node's book of skills over HTTP: a list, one skill, its withdrawal, and the exchange with other nodes.
#include "actors/knowledge/skill_export.hpp"
#include "actors/knowledge/skill_json.hpp"
#include "actors/knowledge/vocabulary.hpp"
#include "runtime/base/wall_clock.hpp"
#include "runtime/node/admin/api.hpp"
#include "runtime/node/admin/skills_json.hpp"

namespace kevolve::handlers {

namespace {

bool keeps_none(const call_ptr& c) {
  if (c->context->skills)
    return false;
  c->refuse(failure{errc::not_found, "this node keeps no skills"});
  return true;
}

skill_query query_of(const call_ptr& c) {
  skill_query q;
  q.state = c->text("state");
  q.target = c->text("target");
  q.family = c->text("family");
  q.task = c->text("task");
  return q;
}

void list_skills(const call_ptr& c) {
  if (keeps_none(c))
    return;
  ask<std::vector<weighed_skill>>(
      c, c->context->skills, [c](std::vector<weighed_skill>& all) { c->reply(page_of(all, c->page(), brief_json)); },
      atom::list_v, query_of(c));
}

void get_skill(const call_ptr& c) {
  if (keeps_none(c))
    return;
  ask<weighed_skill>(
      c, c->context->skills, [c](weighed_skill& s) { c->reply(whole_json(s, wall_clock_ns())); }, atom::lookup_v,
      c->path.at("id"));
}

void revoke_skill(const call_ptr& c) {
  if (keeps_none(c))
    return;
  const auto why = c->body.value("why", std::string{});
  if (why.empty()) {
    c->refuse(problem{422, "unprocessable", "why: a reason is expected; it is kept with the skill"});
    return;
  }
  ask<skill>(
      c, c->context->skills, [c](skill& s) { c->reply(state_json(s)); }, atom::revoke_v, c->path.at("id"), asker(c),
      why);
}

void export_skills(const call_ptr& c) {
  if (!keeps_none(c))
    ask<std::string>(
        c, c->context->skills,
        [c](std::string& text) {
          auto skills = parse_skills(text);
          if (skills)
            c->reply_text(skills_text(for_others(std::move(*skills))));
          else
            c->refuse(skills.error());
        },
        atom::export_all_v, query_of(c));
}

void import_skills(const call_ptr& c) {
  if (keeps_none(c))
    return;
  ask<skill_import>(
      c, c->context->skills, [c](skill_import& x) { c->reply(to_json(x)); }, atom::import_all_v, to_text(c->body));
}

} // namespace

std::vector<route> skill_routes() {
  std::vector<route> t;
  auto add = [&t](const char* method, const char* pattern, const char* id, const char* summary,
                  std::vector<body_field> fields, void (*f)(const call_ptr&)) {
    route r;
    r.method = method;
    r.pattern = pattern;
    r.id = id;
    r.summary = summary;
    r.fields = std::move(fields);
    r.handler = f;
    return &t.emplace_back(std::move(r));
  };
  const auto values = [](knowledge::signal_kind kind) { return knowledge::row_of(kind).values; };
  const query_parameter state{
      "state", "only skills in this state", false, 0, 0, 0, {skill_state_texts.begin(), skill_state_texts.end()}};
  const query_parameter target{"target", "only skills for this target",         false, 0, 0,
                               0,        values(knowledge::signal_kind::target)};
  const query_parameter family{"family", "only skills for this family of operators", false, 0, 0,
                               0,        values(knowledge::signal_kind::family)};
  const query_parameter task{"task", "only skills that were distilled on this task", false, 0, 0, 0, {}};
  add("GET", "/v1/skills", "list_skills", "Skills with what each has brought, the greatest weight first", {},
      list_skills)
      ->query = {state, target, family, task, limit_parameter, cursor_parameter};
  add("GET", "/v1/skills/export", "export_skills",
      "Skills as one document for another node, without sources, paths or secrets", {}, export_skills)
      ->query = {state, target, family, task};
  add("GET", "/v1/skills/{id}", "get_skill",
      "A skill with every application, its history and where it comes from; the first digits of its id suffice", {},
      get_skill);
  add("POST", "/v1/skills/{id}/revoke", "revoke_skill", "Withdraw a skill; it is kept and no longer offered",
      {text_field("why", "the reason, kept with the skill", 500, true),
       text_field("by", "who asks, kept with the skill", 64)},
      revoke_skill);
  body_field skills;
  skills.name = "skills";
  skills.type = body_type::objects;
  skills.summary = "skills of an export; each is taken as a hypothesis";
  skills.required = true;
  add("POST", "/v1/skills/import", "import_skills",
      "Take skills of an export as hypotheses; says how many were taken, and which were refused and why",
      {number_field("format", "the document's format", body_type::integer, 1.0, 1.0, true), std::move(skills)},
      import_skills);
  for (auto& r : t)
    r.local = true; // skills are this node's own
  return t;
}

} // namespace kevolve::handlers
