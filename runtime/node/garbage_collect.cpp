#include "runtime/node/garbage_collect.hpp"

#include "actors/messages/keys.hpp"
#include "runtime/base/codec.hpp"
#include "runtime/base/wall_clock.hpp"
#include "runtime/node/references.hpp"

#include <algorithm>
#include <functional>
#include <iterator>
#include <set>
#include <span>
#include <utility>

namespace kevolve {

namespace {

constexpr size_t rows_at_once = 1'000;
constexpr uint64_t candidates_at_once = 200'000; // about 50 MB of names

// Visits the results in flight of unfinished campaigns: after a restart they are not pinned until their campaign
// resumes.
result<void> names_in_flight(const store& data, const name_visitor& visit) {
  return each_row(data, table::index, "status/", [&](const std::string&, const std::string& value) -> result<void> {
    auto status = decode_older<campaign_status>(value);
    if (!status)
      return tl::unexpected(status.error());
    return has_ended(status->state) ? result<void>{} : names_of_events(data, status->id, visit, true);
  });
}

// Returns the results and texts that only these campaigns name, texts first. A result without its text is evaluated
// again, but a text without its result would never be erased.
result<std::vector<record_name>> named_by_none_else(const store& data, const std::vector<id128>& ids) {
  std::set<std::string> campaigns;
  for (const auto& id : ids)
    campaigns.insert(keys::of(id));
  std::set<record_name> named;
  const name_visitor add = [&](table where, const std::string& key) { named.emplace(where, key); };
  const name_visitor keep = [&](table where, const std::string& key) { named.erase({where, key}); };
  for (const auto& campaign : campaigns)
    for (const auto& p : naming_places())
      if (auto ok =
              each_row(data, p.where, p.prefix + campaign, [&](const auto&, const auto& v) { return p.names(v, add); });
          !ok)
        return tl::unexpected(ok.error());
  for (const auto& id : ids)
    if (auto ok = names_of_events(data, id, add, false); !ok)
      return tl::unexpected(ok.error());
  std::set<record_name> texts; // texts of the results
  const name_visitor add_text = [&](table where, const std::string& key) { texts.emplace(where, key); };
  for (const auto& [where, key] : named) {
    if (where != table::evaluations)
      continue;
    auto bytes = data.get(where, key);
    if (!bytes)
      return tl::unexpected(bytes.error());
    if (*bytes)
      if (auto ok = names_of_evaluation(**bytes, add_text); !ok)
        return tl::unexpected(ok.error());
  }
  named.merge(texts);
  for (const auto& p : naming_places()) {
    const std::string prefix{p.prefix};
    auto ok = each_row(data, p.where, prefix, [&](const std::string& key, const std::string& value) -> result<void> {
      return campaigns.contains(key.substr(prefix.size(), 16)) ? result<void>{} : p.names(value, keep);
    });
    if (!ok)
      return tl::unexpected(ok.error());
  }
  if (auto ok = names_in_flight(data, keep); !ok)
    return tl::unexpected(ok.error());
  // Remaining results keep their objects, whichever campaign they belong to.
  auto ok =
      each_row(data, table::evaluations, {}, [&](const std::string& key, const std::string& value) -> result<void> {
        return named.contains({table::evaluations, key}) ? result<void>{} : names_of_evaluation(value, keep);
      });
  if (!ok)
    return tl::unexpected(ok.error());
  return std::vector<record_name>{named.rbegin(), named.rend()};
}

// Removes the campaigns from the index and marks them for removal. Returns the marked ones; the others have not ended
// or do not exist.
result<std::vector<id128>> strike_off(store& data, const std::vector<id128>& campaigns) {
  std::vector<transaction> group;
  std::vector<id128> marked;
  for (const auto& id : campaigns) {
    auto bytes = data.get(table::index, keys::status(id));
    auto mark = data.get(table::index, keys::forgetting(id));
    if (!bytes || !mark)
      return tl::unexpected(bytes ? mark.error() : bytes.error());
    if (!*bytes) { // removed from the index before
      if (*mark)
        marked.push_back(id);
      continue;
    }
    auto status = decode_older<campaign_status>(**bytes);
    if (!status)
      return tl::unexpected(status.error());
    if (!has_ended(status->state))
      continue;
    marked.push_back(id);
    auto& t = group.emplace_back();
    event_record e;
    e.time_ns = wall_clock_ns();
    e.kind = static_cast<uint16_t>(event_kind::campaign_forgotten);
    e.version = record_version;
    e.payload = encode(forgotten_record{id, status->name, status->candidates});
    t.events.push_back(std::move(e));
    t.writes.push_back(write_op::put(table::index, keys::forgetting(id), "1"));
    t.writes.push_back(write_op::erase(table::index, keys::status(id)));
    t.writes.push_back(write_op::erase(table::index, keys::campaign(id)));
  }
  auto done = data.commit(group);
  return done ? result<std::vector<id128>>{std::move(marked)} : tl::unexpected(done.error());
}

result<void> erase_rows(store& data, table where, const std::string& prefix) {
  for (;;) {
    auto rows = data.scan(where, prefix, rows_at_once);
    if (!rows)
      return tl::unexpected(rows.error());
    if (rows->empty())
      return {};
    transaction t;
    for (auto& row : *rows)
      t.writes.push_back(write_op::erase(where, std::move(row.first)));
    if (auto done = data.commit({&t, 1}); !done)
      return tl::unexpected(done.error());
  }
}

result<void> take_out(store& data, const id128& id) {
  if (auto ok = data.forget_events(id); !ok)
    return ok;
  for (const auto& p : naming_places())
    if (auto ok = erase_rows(data, p.where, p.prefix + keys::of(id)); !ok)
      return ok;
  transaction t;
  t.writes.push_back(write_op::erase(table::index, keys::spent_by(id)));
  t.writes.push_back(write_op::erase(table::index, keys::forgetting(id)));
  auto done = data.commit({&t, 1});
  return done ? result<void>{} : tl::unexpected(done.error());
}

} // namespace

std::vector<id128> campaigns_to_forget(std::vector<campaign_status> all, uint64_t keep) {
  std::erase_if(all, [](const campaign_status& s) { return !has_ended(s.state); });
  std::sort(all.begin(), all.end(), [](const auto& a, const auto& b) { return a.last_sequence < b.last_sequence; });
  // A campaign without candidates still counts, because its submission is stored.
  const auto weight = [](const campaign_status& s) { return std::max<uint64_t>(s.candidates, 1); };
  uint64_t there = 0;
  for (const auto& s : all)
    there += weight(s);
  std::vector<id128> out;
  if (keep == 0 || there <= keep)
    return out;
  uint64_t taken = 0;
  for (size_t i = 0; i + 1 < all.size() && there > keep - keep / 10 && taken < candidates_at_once; ++i) {
    there -= weight(all[i]);
    taken += weight(all[i]);
    out.push_back(all[i].id);
  }
  return out;
}

sweep::sweep(store& data, pinned_results& held) : data_(data), held_(held) {
  held_.keep(true);
  data_.watch(true);
}

sweep::~sweep() {
  data_.watch(false);
  held_.keep(false);
}

result<void> sweep::find(const std::vector<id128>& campaigns) {
  auto records = named_by_none_else(data_, campaigns);
  if (!records)
    return tl::unexpected(records.error());
  records_ = std::move(*records);
  return {};
}

result<void> sweep::erase() {
  for (size_t from = 0; from < records_.size(); from += rows_at_once) {
    const auto some = std::span{records_}.subspan(from, std::min(rows_at_once, records_.size() - from));
    auto done = held_.while_held([&](const auto& is_held) {
      std::vector<record_name> free;
      std::copy_if(some.begin(), some.end(), std::back_inserter(free),
                   [&](const auto& r) { return !is_held(r.second); });
      return data_.erase_unless_put(free);
    });
    if (!done)
      return done;
  }
  return {};
}

forgetting forget_campaigns(store& data, const std::vector<id128>& campaigns, pinned_results& held) {
  forgetting out;
  const auto note = [&](const failure& why) {
    if (!out.trouble)
      out.trouble = why;
  };
  auto marked = strike_off(data, campaigns);
  if (!marked) {
    note(marked.error());
    return out;
  }
  for (const auto& id : campaigns)
    if (std::find(marked->begin(), marked->end(), id) == marked->end())
      out.left.push_back(id);
  if (marked->empty())
    return out;
  {
    sweep unnamed{data, held};
    auto ok = unnamed.find(*marked);
    if (ok)
      ok = unnamed.erase();
    if (!ok) {
      note(ok.error());
      return out;
    }
  }
  for (const auto& id : *marked)
    if (auto ok = take_out(data, id); ok)
      out.forgotten.push_back(id);
    else
      note(ok.error());
  return out;
}

} // namespace kevolve
