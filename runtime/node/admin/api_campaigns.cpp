#include "actors/campaign/tree_page.hpp"
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

// Sends a person's command to the campaign's actor; `tell` makes the request.
template <class Tell>
void command(const call_ptr& c, Tell tell, bool may_reopen = false) {
  with_campaign(c, c->path.at("id"),
                [c, tell, may_reopen](const campaign_status& s) { with_steerable(c, s, may_reopen, tell); });
}

void reply_tree(const call_ptr& c, const tree_page& page) {
  const auto first = std::min<uint64_t>(c->page().cursor, page.total);
  std::vector<std::string> items;
  for (const auto& n : page.items)
    items.push_back(to_text(n));
  c->reply_text(page_text(items, first + items.size(), page.total));
}

} // namespace

void campaigns(const call_ptr& c) {
  with_campaigns(c, [c](std::vector<campaign_status>& all) {
    if (auto state = c->text("state"); !state.empty())
      std::erase_if(all, [&](const campaign_status& s) {
        return s.state != state
               && !(parse_enum<campaign_phase>(s.state) == campaign_phase::finished
                    && to_string(s.stop_reason) == state);
      });
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
        ask<campaign_status>(
            c, whom, [c](campaign_status& s) { c->reply(to_json(s)); }, atom::resume_v, given_reason(c));
      },
      true);
}

void cancel(const call_ptr& c) {
  command(c, [c](const campaign_actor& whom) {
    ask<campaign_status>(c, whom, [c](campaign_status& s) { c->reply(to_json(s)); }, atom::cancel_v, given_reason(c));
  });
}

void tree(const call_ptr& c) {
  with_campaign_id(c, c->path.at("id"), [c](const id128& id) {
    auto from_events = [c, id](const failure& why) {
      if (why.code != errc::not_found && why.code != errc::unavailable) {
        c->refuse(why);
        return;
      }
      // The campaign does not run here, so its events are folded.
      with_campaign(c, to_string(id), [c](const campaign_status& s) {
        auto folded = std::make_shared<campaign_fold>();
        fold_events(c, s.id, folded, [c, folded] {
          reply_tree(c, page_of_tree(*folded, folded->away.has_value(), c->page().cursor, c->page().limit));
        });
      });
    };
    with_campaign_actor(
        c, id,
        [c, from_events](const campaign_actor& whom) {
          const auto asked = c->page();
          ask_or<tree_page>(
              c, whom, [c](tree_page& page) { reply_tree(c, page); }, from_events, atom::tree_v, asked.cursor,
              asked.limit);
        },
        from_events);
  });
}

} // namespace kevolve::handlers
