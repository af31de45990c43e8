#include "runtime/node/references.hpp"

#include "actors/evaluation/profile_record.hpp"
#include "actors/messages/keys.hpp"
#include "runtime/base/codec.hpp"
#include "runtime/node/rejudge.hpp"

#include <optional>
#include <set>
#include <string_view>

namespace kevolve {

namespace {

constexpr size_t rows_at_once = 1'000;
constexpr const char* forgetting_all = "forgetting/";

void name_blob(const std::string& digest, const name_visitor& visit) {
  if (!digest.empty())
    visit(table::blobs, digest);
}

result<void> names_of_node(const std::string& bytes, const name_visitor& visit) {
  auto r = decode_older<node_record>(bytes);
  if (!r)
    return tl::unexpected(r.error());
  name_blob(r->proposal.source, visit);
  name_blob(r->object, visit);
  for (const auto& id : r->evaluations)
    visit(table::evaluations, keys::evaluation(id));
  return {};
}

result<void> names_of_exchange(const std::string& bytes, const name_visitor& visit) {
  auto r = decode_older<exchange_record>(bytes);
  if (!r)
    return tl::unexpected(r.error());
  for (const auto& t : r->turns)
    name_blob(t.text, visit);
  name_blob(r->reply, visit);
  for (const auto& c : r->calls)
    for (const auto* text : {&c.request, &c.trace, &c.text})
      name_blob(*text, visit);
  return {};
}

result<void> names_of_preparation(const std::string& bytes, const name_visitor& visit) {
  auto r = decode<preparation>(bytes);
  if (!r)
    return tl::unexpected(r.error());
  for (const auto* object : {&r->reference_object, &r->oracle_object, &r->syntax_tree})
    name_blob(*object, visit);
  return {};
}

result<void> names_of_rejudgement(const std::string& bytes, const name_visitor& visit) {
  auto r = decode_older<rejudgement>(bytes);
  if (!r)
    return tl::unexpected(r.error());
  for (const auto& id : r->evaluations)
    visit(table::evaluations, keys::evaluation(id));
  return {};
}

result<void> names_of_profile(const std::string& bytes, const name_visitor& visit) {
  auto r = decode_older<profile_record>(bytes);
  if (!r)
    return tl::unexpected(r.error());
  name_blob(r->diagnosis, visit);
  for (const auto& p : r->passes)
    for (const auto& [kind, digest] : p.artefacts)
      name_blob(digest, visit);
  return {};
}

std::string named(const naming_place& p, const std::string& key) {
  const auto id = key.substr(std::string{p.prefix}.size());
  auto out = std::string{p.what};
  if (id.size() >= 24)
    out += " " + std::to_string(keys::number_in(std::string_view{id}.substr(16, 8)));
  return out + " of campaign " + to_string(id_of(std::string_view{id}.substr(0, 16)));
}

} // namespace

result<void> each_row(const store& data, table where, const std::string& prefix, const row_visitor& visit) {
  std::string after;
  for (;;) {
    auto rows = data.scan(where, prefix, rows_at_once, after);
    if (!rows)
      return tl::unexpected(rows.error());
    for (const auto& [key, value] : *rows)
      if (auto ok = visit(key, value); !ok)
        return ok;
    if (rows->size() < rows_at_once)
      return {};
    after = rows->back().first;
  }
}

const std::vector<naming_place>& naming_places() {
  static const std::vector<naming_place> all{
      {table::nodes, "", "candidate", names_of_node},
      {table::index, "exchange/", "the exchange of candidate", names_of_exchange},
      {table::index, "prepared/", "the preparation", names_of_preparation},
      {table::index, keys::profiles, "the profile of candidate", names_of_profile},
      {table::index, "rejudged/", "rejudgement", names_of_rejudgement}};
  return all;
}

result<void> names_of_evaluation(const std::string& bytes, const name_visitor& visit) {
  auto r = decode_older<evaluation_record>(bytes);
  if (!r)
    return tl::unexpected(r.error());
  name_blob(r->object, visit);
  return {};
}

namespace {

result<void> each_event(const store& data, const id128& campaign,
                        const std::function<void(const event_record&)>& visit) {
  for (uint64_t from = 1;;) {
    auto events = data.read_events(campaign, from, rows_at_once);
    if (!events)
      return tl::unexpected(events.error());
    for (const auto& e : *events)
      visit(e);
    if (events->size() < rows_at_once)
      return {};
    from += events->size();
  }
}

} // namespace

result<void> names_of_events(const store& data, const id128& campaign, const name_visitor& visit, bool intended) {
  return each_event(data, campaign, [&](const event_record& e) {
    const auto kind = static_cast<event_kind>(e.kind);
    if (kind == event_kind::evaluation_result || (intended && kind == event_kind::evaluation_intent))
      if (auto x = decode<intent_record>(e.payload))
        visit(table::evaluations, keys::evaluation(x->evaluation));
  });
}

result<std::vector<id128>> half_forgotten(const store& data) {
  std::vector<id128> out;
  auto ok = each_row(data, table::index, forgetting_all, [&](const std::string& key, const std::string&) {
    out.push_back(id_of(std::string_view{key}.substr(std::string_view{forgetting_all}.size())));
    return result<void>{};
  });
  return ok ? result<std::vector<id128>>{std::move(out)} : tl::unexpected(ok.error());
}

namespace {

// Checks the records that a campaign's events require: its submission, its state, each finished candidate.
result<void> look_at_events(const store& data, const std::set<std::string>& left_alone,
                            std::vector<dangling_name>& out) {
  auto campaigns = data.campaigns();
  if (!campaigns)
    return tl::unexpected(campaigns.error());
  for (const auto& extent : *campaigns) {
    const auto& id = extent.campaign;
    if (!id || left_alone.contains(keys::of(id)))
      continue;
    std::optional<failure> trouble;
    const auto expect = [&](table where, const std::string& key, const std::string& what) {
      auto there = data.get(where, key);
      if (!there)
        trouble = there.error();
      else if (!*there)
        out.push_back({"campaign " + to_string(id), what});
    };
    auto ok = each_event(data, id, [&](const event_record& e) {
      const auto kind = static_cast<event_kind>(e.kind);
      if (kind == event_kind::campaign_submitted) {
        expect(table::index, keys::campaign(id), "its submission");
        expect(table::index, keys::status(id), "its state");
      } else if (kind == event_kind::node_finished)
        if (auto r = decode_older<node_record>(e.payload))
          expect(table::nodes, keys::node(id, r->index), "candidate " + std::to_string(r->index));
    });
    if (!ok)
      return ok;
    if (trouble)
      return tl::unexpected(*trouble);
  }
  return {};
}

} // namespace

result<std::vector<dangling_name>> dangling_names(const store& data) {
  auto going = half_forgotten(data);
  if (!going)
    return tl::unexpected(going.error());
  std::set<std::string> left_alone;
  for (const auto& id : *going)
    left_alone.insert(keys::of(id));
  std::vector<dangling_name> out;
  const auto look = [&](const std::string& who, auto&& names) -> result<void> {
    std::optional<failure> trouble;
    auto ok = names([&](table where, const std::string& key) {
      auto there = data.get(where, key);
      if (!there)
        trouble = there.error();
      else if (!*there)
        out.push_back({who, where == table::blobs ? "text " + key : "result " + to_string(id_of(key))});
    });
    return ok && trouble ? tl::unexpected(*trouble) : ok;
  };
  for (const auto& p : naming_places()) {
    const std::string prefix{p.prefix};
    auto ok = each_row(data, p.where, prefix, [&](const std::string& key, const std::string& value) -> result<void> {
      return left_alone.contains(key.substr(prefix.size(), 16))
                 ? result<void>{}
                 : look(named(p, key), [&](const name_visitor& visit) { return p.names(value, visit); });
    });
    if (!ok)
      return tl::unexpected(ok.error());
  }
  if (auto ok = look_at_events(data, left_alone, out); !ok)
    return tl::unexpected(ok.error());
  // When a campaign is forgotten, the texts of results are erased first.
  if (left_alone.empty()) {
    auto ok = each_row(data, table::evaluations, {}, [&](const std::string& key, const std::string& value) {
      return look("result " + to_string(id_of(key)),
                  [&](const name_visitor& visit) { return names_of_evaluation(value, visit); });
    });
    if (!ok)
      return tl::unexpected(ok.error());
  }
  return out;
}

} // namespace kevolve
