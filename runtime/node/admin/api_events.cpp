#include "runtime/node/admin/api.hpp"
#include "runtime/node/admin/records_json.hpp"
#include "store/store.hpp"

namespace kevolve::handlers {

namespace {

// Events in one read of the journal for a stream.
constexpr uint32_t events_a_look = 512;

void read_page(const call_ptr& c, const id128& campaign) {
  auto limit = static_cast<uint32_t>(c->integer("limit", 100));
  ask<std::vector<journal_event>>(
      c, c->context->journal,
      [c, limit](std::vector<journal_event>& events) {
        if (refused_beyond_the_end(c, events.empty()))
          return;
        auto more = events.size() > limit;
        if (more)
          events.resize(limit);
        auto items = json::array();
        for (const auto& e : events)
          items.push_back(to_json(e));
        json out{{"items", std::move(items)}, {"total", nullptr}, {"truncated", more}, {"next", nullptr}};
        if (more)
          out["next"] = std::to_string(events.back().sequence);
        c->reply(out);
      },
      atom::events_v, campaign, c->integer("after", 0), limit + 1);
}

// A stream reads the global sequence and picks its campaign's events, so each read costs only the new events.
void read_stream(const call_ptr& c, const id128& campaign) {
  auto after = c->integer("after", 0);
  ask<std::vector<journal_event>>(
      c, c->context->journal,
      [c, campaign, after](std::vector<journal_event>& events) {
        if (refused_beyond_the_end(c, events.empty()))
          return;
        api_response out;
        out.content_type = "text/event-stream";
        out.last_event = events.empty() ? after : events.back().sequence;
        for (const auto& e : events)
          if (!campaign || e.campaign == campaign)
            out.body += "id: " + std::to_string(e.sequence) + "\nevent: " + to_string(e.kind)
                        + "\ndata: " + to_text(to_json(e)) + "\n\n";
        c->reply(std::move(out));
      },
      atom::events_v, id128{}, after, events_a_look);
}

} // namespace

bool refused_beyond_the_end(const call_ptr& c, bool nothing_found) {
  const auto after = c->integer("after", 0);
  const auto& data = c->context->data;
  if (!data || !nothing_found || after <= data->last_sequence())
    return false;
  c->refuse(problem{409, "beyond-the-end",
                    "the log ends at event " + std::to_string(data->last_sequence()) + ", before "
                        + std::to_string(after)
                        + ": the store was restored, or is another one; read all anew, and follow from there"});
  return true;
}

void events(const call_ptr& c) {
  auto read = c->request.event_stream ? read_stream : read_page;
  auto digits = c->text("campaign");
  if (digits.empty())
    read(c, id128{});
  else if (auto whole = parse_id(digits); whole && c->request.followed)
    read(c, whole);
  else
    with_campaign(c, digits, [c, read](const campaign_status& s) { read(c, s.id); });
}

} // namespace kevolve::handlers
