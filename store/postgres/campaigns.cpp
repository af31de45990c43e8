#include "store/postgres/campaigns.hpp"

namespace kevolve::postgres {

result<campaign_ownership> own(connection& c, const member& m, const id128& campaign, std::optional<uint64_t> events) {
  statement q{"select epoch, events from kevolve.own_campaign($1, $2, $3, null)",
              {{m.name}, {to_string(m.instance)}, {to_string(campaign)}}};
  if (events) {
    q.text = "select epoch, events from kevolve.own_campaign($1, $2, $3, $4)";
    q.parameters.push_back({std::to_string(*events)});
  }
  auto r = c.run(q);
  if (!r)
    return tl::unexpected(r.error());
  return campaign_ownership{r->integer(0, 0), static_cast<uint64_t>(r->integer(0, 1))};
}

result<void> append(connection& c, const std::vector<campaign_records>& all) {
  std::vector<statement> group;
  for (const auto& one : all) {
    const parameter campaign{to_string(one.campaign)};
    const parameter epoch{std::to_string(one.epoch)};
    for (const auto& b : one.blobs)
      group.push_back({"select kevolve.put_campaign_blob($1, $2, $3)", {campaign, epoch, {b, true}}});
    for (const auto& v : one.values)
      group.push_back({"select kevolve.put_campaign_value($1, $2, $3, $4, $5)",
                       {campaign, epoch, {v.family}, {v.key, true}, {v.value, true}}});
    for (const auto& e : one.events)
      group.push_back({"select kevolve.append_event($1, $2, $3, $4, $5, $6, $7)",
                       {campaign,
                        epoch,
                        {std::to_string(e.sequence)},
                        {std::to_string(e.kind)},
                        {std::to_string(e.version)},
                        {std::to_string(e.time_ns)},
                        {e.payload, true}}});
    if (one.ended)
      group.push_back({"select kevolve.end_campaign($1, $2, $3)", {campaign, epoch, {*one.ended ? "t" : "f"}}});
  }
  auto r = c.run_all(group);
  if (!r)
    return tl::unexpected(r.error());
  return {};
}

result<std::vector<campaign_home>> homes(connection& c, const std::vector<id128>& asked) {
  std::string ids;
  for (const auto& id : asked)
    ids += (ids.empty() ? "" : ",") + to_string(id);
  auto r = c.run({"select campaign, home, live, ended, events from kevolve.campaign_homes($1)", {{"{" + ids + "}"}}});
  if (!r)
    return tl::unexpected(r.error());
  std::vector<campaign_home> out;
  for (size_t i = 0; i < r->size(); ++i) {
    auto id = r->text(i, 0);
    std::erase(id, '-');
    out.push_back(
        {parse_id(id), r->text(i, 1), r->truth(i, 2), r->truth(i, 3), static_cast<uint64_t>(r->integer(i, 4))});
  }
  return out;
}

result<std::vector<shared_event>> read_events(connection& c, const id128& campaign, uint64_t after, int most) {
  auto r = c.run({"select sequence, kind, version, time_ns, payload from kevolve.read_campaign_events($1, $2, $3)",
                  {{to_string(campaign)}, {std::to_string(after)}, {std::to_string(most)}}});
  if (!r)
    return tl::unexpected(r.error());
  std::vector<shared_event> out;
  for (size_t i = 0; i < r->size(); ++i)
    out.push_back({static_cast<uint64_t>(r->integer(i, 0)), static_cast<uint16_t>(r->integer(i, 1)),
                   static_cast<uint16_t>(r->integer(i, 2)), r->integer(i, 3), r->bytes(i, 4)});
  return out;
}

result<std::vector<shared_value>> read_values(connection& c, const id128& campaign, const shared_value& after,
                                              int most) {
  auto r = c.run({"select family, key, value from kevolve.read_campaign_values($1, $2, $3, $4)",
                  {{to_string(campaign)}, {after.family}, {after.key, true}, {std::to_string(most)}}});
  if (!r)
    return tl::unexpected(r.error());
  std::vector<shared_value> out;
  for (size_t i = 0; i < r->size(); ++i)
    out.push_back({r->text(i, 0), r->bytes(i, 1), r->bytes(i, 2)});
  return out;
}

result<std::vector<std::pair<std::string, std::string>>> read_blobs(connection& c, const id128& campaign,
                                                                    const std::string& after, int most) {
  auto r = c.run({"select digest, bytes from kevolve.read_campaign_blobs($1, $2, $3)",
                  {{to_string(campaign)}, {after, true}, {std::to_string(most)}}});
  if (!r)
    return tl::unexpected(r.error());
  std::vector<std::pair<std::string, std::string>> out;
  for (size_t i = 0; i < r->size(); ++i)
    out.emplace_back(r->bytes(i, 0), r->bytes(i, 1));
  return out;
}

result<void> share(connection& c, const member& m, const std::vector<shared_evaluation>& all) {
  std::vector<statement> group;
  for (const auto& e : all) {
    if (e.object.empty())
      group.push_back({"select kevolve.share_evaluation($1, $2, $3, $4, null)",
                       {{m.name}, {to_string(m.instance)}, {e.key, true}, {e.value, true}}});
    else
      group.push_back({"select kevolve.share_evaluation($1, $2, $3, $4, $5)",
                       {{m.name}, {to_string(m.instance)}, {e.key, true}, {e.value, true}, {e.object, true}}});
  }
  auto r = c.run_all(group);
  if (!r)
    return tl::unexpected(r.error());
  return {};
}

result<std::optional<shared_evaluation>> find_evaluation(connection& c, const std::string& key) {
  auto r = c.run({"select value, object from kevolve.find_evaluation($1)", {{key, true}}});
  if (!r)
    return tl::unexpected(r.error());
  if (r->size() == 0)
    return std::nullopt;
  return shared_evaluation{key, r->bytes(0, 0), r->is_null(0, 1) ? std::string{} : r->bytes(0, 1)};
}

} // namespace kevolve::postgres
