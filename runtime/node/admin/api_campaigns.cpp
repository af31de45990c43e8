#include "runtime/node/admin/api.hpp"
#include "runtime/node/admin/at_rest.hpp"
#include "runtime/node/admin/records_json.hpp"

#include <algorithm>

namespace kevolve::handlers {

namespace {

std::string given_reason(const call_ptr& c) {
  auto i = c->body.find("reason");
  return i == c->body.end() ? std::string{} : i->get<std::string>();
}

// Sends a person's wish to the campaign's actor; `tell` makes the request.
template <class Tell>
void command(const call_ptr& c, Tell tell, bool may_reopen = false) {
  with_campaign(c, c->path.at("id"),
                [c, tell, may_reopen](const campaign_status& s) { with_steerable(c, s, may_reopen, tell); });
}

std::vector<node_brief> briefs_of(const campaign_fold& f) {
  std::vector<node_brief> out;
  for (const auto& n : f.tree.nodes()) {
    auto summary = f.summaries.find(n.index);
    out.push_back({n.index,
                   n.parents,
                   n.phase == node_phase::finished ? "finished" : "in_flight",
                   n.index == 0 ? "reference" : to_string(n.result),
                   n.fitness,
                   n.ci_low,
                   n.ci_high,
                   n.estimate,
                   n.confirmed,
                   n.draft,
                   n.visits,
                   summary == f.summaries.end() ? std::string{} : summary->second,
                   f.steered.pinned.contains(n.index),
                   is_banned(f.tree, f.steered.banned, n.index),
                   {},
                   f.away && awaits_judgement(f, n.index) ? "a batch" : ""});
    if (auto x = f.steered.injected.find(n.index); x != f.steered.injected.end())
      out.back().injected_by = x->second.by;
  }
  return out;
}

void reply_tree(const call_ptr& c, const std::vector<node_brief>& all) {
  c->reply(page_of(all, c->page(), [](const node_brief& n) { return to_json(n); }));
}

} // namespace

void campaigns(const call_ptr& c) {
  with_campaigns(c, [c](std::vector<campaign_status>& all) {
    if (auto state = c->text("state"); !state.empty())
      std::erase_if(all, [&](const campaign_status& s) { return s.state != state; });
    c->reply(page_of(all, c->page(), [](const campaign_status& s) { return to_json(s); }));
  });
}

void campaign(const call_ptr& c) {
  with_campaign(c, c->path.at("id"), [c](const campaign_status& s) { c->reply(to_json(s)); });
}

void pause(const call_ptr& c) {
  command(c, [c](const campaign_actor& whom) {
    ask<campaign_status>(c, whom, [c](campaign_status& s) { c->reply(to_json(s)); }, atom::pause_v, given_reason(c));
  });
}

void resume(const call_ptr& c) {
  command(
      c,
      [c](const campaign_actor& whom) {
        ask<campaign_status>(c, whom, [c](campaign_status& s) { c->reply(to_json(s)); }, atom::resume_v);
      },
      true);
}

void cancel(const call_ptr& c) {
  command(c, [c](const campaign_actor& whom) {
    ask<campaign_status>(c, whom, [c](campaign_status& s) { c->reply(to_json(s)); }, atom::cancel_v, given_reason(c));
  });
}

void tree(const call_ptr& c) {
  with_campaign(c, c->path.at("id"), [c](const campaign_status& s) {
    auto id = s.id;
    auto from_events = [c, id](const failure& why) {
      if (why.code != errc::not_found && why.code != errc::unavailable) {
        c->refuse(why);
        return;
      }
      // It does not run here: the fold of its events.
      auto folded = std::make_shared<campaign_fold>();
      fold_events(c, id, folded, [c, folded] { reply_tree(c, briefs_of(*folded)); });
    };
    with_campaign_actor(
        c, id,
        [c, from_events](const campaign_actor& whom) {
          ask_or<std::vector<node_brief>>(
              c, whom, [c](std::vector<node_brief>& all) { reply_tree(c, all); }, from_events, atom::tree_v);
        },
        from_events);
  });
}

} // namespace kevolve::handlers
