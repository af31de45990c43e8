#include "runtime/node/campaign_copy.hpp"

namespace kevolve {

namespace {

constexpr int rows_at_once = 500;
constexpr int blobs_at_once = 16;

result<table> table_of(const std::string& name) {
  for (auto t : {table::nodes, table::evaluations, table::index, table::meta})
    if (to_string(t) == name)
      return t;
  return fail(errc::corrupt, "the cluster has a value of an unknown family '" + name + "'");
}

} // namespace

result<void> copy_campaign(postgres::connection& from, store& to, const id128& campaign, uint64_t events) {
  std::string digest;
  for (auto more = true; more;) {
    auto page = postgres::read_blobs(from, campaign, digest, blobs_at_once);
    if (!page)
      return tl::unexpected(page.error());
    more = page->size() == static_cast<size_t>(blobs_at_once);
    std::vector<transaction> group(1);
    for (auto& [name, bytes] : *page) {
      digest = name;
      group[0].writes.push_back(write_op::put_blob(std::move(bytes)));
    }
    if (auto r = to.commit(group); !r)
      return tl::unexpected(r.error());
  }
  postgres::shared_value after;
  for (auto more = true; more;) {
    auto page = postgres::read_values(from, campaign, after, rows_at_once);
    if (!page)
      return tl::unexpected(page.error());
    more = page->size() == static_cast<size_t>(rows_at_once);
    std::vector<transaction> group(1);
    for (auto& v : *page) {
      after = {v.family, v.key, {}};
      auto where = table_of(v.family);
      if (!where)
        return tl::unexpected(where.error());
      group[0].writes.push_back(write_op::put(*where, std::move(v.key), std::move(v.value)));
    }
    if (auto r = to.commit(group); !r)
      return tl::unexpected(r.error());
  }
  // The events come last: they name everything else.
  for (;;) {
    const auto here = to.last_campaign_sequence(campaign);
    if (!here)
      return tl::unexpected(here.error());
    if (*here >= events)
      return {};
    auto page = postgres::read_events(from, campaign, *here, rows_at_once);
    if (!page)
      return tl::unexpected(page.error());
    if (page->empty())
      return fail(errc::corrupt, "the cluster lacks events of campaign " + to_string(campaign));
    std::vector<transaction> group(1);
    for (auto& e : *page) {
      event_record r;
      r.campaign = campaign;
      r.kind = e.kind;
      r.version = e.version;
      r.time_ns = e.time_ns;
      r.payload = std::move(e.payload);
      group[0].events.push_back(std::move(r));
    }
    if (auto r = to.commit(group); !r)
      return tl::unexpected(r.error());
  }
}

} // namespace kevolve
