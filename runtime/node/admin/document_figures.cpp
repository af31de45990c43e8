#include "runtime/node/admin/document_figures.hpp"

#include "actors/messages/document_outcomes.hpp"
#include "actors/messages/keys.hpp"
#include "runtime/base/codec.hpp"
#include "store/store.hpp"

#include <algorithm>
#include <optional>

namespace kevolve {

namespace {

constexpr size_t rows_at_once = 500;
constexpr const char* all_exchanges = "exchange/";
constexpr const char* skills_reason = "skills"; // of a trace of skills, which have figures of their own

result<std::optional<node_record>> candidate_of(const store& data, const id128& campaign, uint64_t index) {
  const auto bytes = data.get(table::nodes, keys::node(campaign, index));
  if (!bytes)
    return tl::unexpected(bytes.error());
  if (!*bytes)
    return std::optional<node_record>{};
  auto record = decode_older<node_record>(**bytes);
  if (!record)
    return tl::unexpected(record.error());
  return std::optional{std::move(*record)};
}

// Returns the speed-up of the fastest parent; 1 for the reference, and where no parent was measured.
result<double> parent_speedup(const store& data, const id128& campaign, const node_record& child) {
  double fastest = 0.0;
  for (const auto parent : child.parents) {
    if (parent == 0) {
      fastest = std::max(fastest, 1.0);
      continue;
    }
    const auto record = candidate_of(data, campaign, parent);
    if (!record)
      return tl::unexpected(record.error());
    if (*record)
      fastest = std::max(fastest, (*record)->speedup);
  }
  return fastest > 0.0 ? fastest : 1.0;
}

// The questions of one candidate, which follow each other in the store.
struct open_step {
  id128 campaign;
  uint64_t node = 0;
  std::set<std::string> quoted;
};

result<void> end_step(const store& data, document_figures& into, const open_step& step) {
  if (step.quoted.empty())
    return {};
  const auto child = candidate_of(data, step.campaign, step.node);
  if (!child)
    return tl::unexpected(child.error());
  if (!*child)
    return {}; // still in flight, or ended without a record
  const auto parent = parent_speedup(data, step.campaign, **child);
  if (!parent)
    return tl::unexpected(parent.error());
  count_step(into, step.quoted, **child, step.campaign, *parent);
  return {};
}

} // namespace

std::set<std::string> quoted_documents(const exchange_record& asked) {
  std::set<std::string> out;
  for (const auto& r : asked.retrievals)
    if (r.reason != skills_reason)
      for (const auto& s : r.sections)
        if (s.outcome == document_outcome::quoted)
          out.insert(s.document);
  return out;
}

void count_step(document_figures& into, const std::set<std::string>& quoted, const node_record& child,
                const id128& campaign, double parent_speedup) {
  if (child.state != candidate_state::finished || child.result == verdict::none)
    return;
  const bool valid = child.result == verdict::pass;
  const double gain = valid && !child.estimate && parent_speedup > 0.0 ? child.speedup / parent_speedup : 0.0;
  for (const auto& id : quoted) {
    auto& f = into.documents[id];
    ++f.steps;
    f.valid += valid ? 1 : 0;
    if (gain > f.best_gain) {
      f.best_gain = gain;
      f.campaign = campaign;
      f.candidate = child.index;
    }
  }
}

result<document_figures> read_document_figures(const store& data, uint64_t most) {
  document_figures out;
  open_step step;
  std::string after;
  for (bool more = true; more;) {
    const auto rows = data.scan(table::index, all_exchanges, rows_at_once, after);
    if (!rows)
      return tl::unexpected(rows.error());
    more = rows->size() == rows_at_once;
    for (const auto& [key, bytes] : *rows) {
      if (out.exchanges == most) {
        out.complete = false;
        more = false;
        break;
      }
      ++out.exchanges;
      after = key;
      const auto asked = decode_older<exchange_record>(bytes);
      if (!asked)
        continue; // of a later format: the others count
      if (asked->id.campaign != step.campaign || asked->id.node != step.node) {
        if (auto ended = end_step(data, out, step); !ended)
          return tl::unexpected(ended.error());
        step = {asked->id.campaign, asked->id.node, {}};
      }
      step.quoted.merge(quoted_documents(*asked));
    }
  }
  if (auto ended = end_step(data, out, step); !ended)
    return tl::unexpected(ended.error());
  return out;
}

json to_json(const document_figures& x) {
  auto items = json::array();
  for (const auto& [id, f] : x.documents)
    items.push_back({{"document", id},
                     {"steps", f.steps},
                     {"valid", f.valid},
                     {"best_gain", f.best_gain > 0.0 ? json(f.best_gain) : json(nullptr)},
                     {"campaign", f.best_gain > 0.0 ? json(to_string(f.campaign)) : json(nullptr)},
                     {"candidate", f.best_gain > 0.0 ? json(f.candidate) : json(nullptr)}});
  return {{"items", std::move(items)}, {"exchanges", x.exchanges}, {"complete", x.complete}};
}

} // namespace kevolve
