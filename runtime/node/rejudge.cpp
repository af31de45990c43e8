#include "runtime/node/rejudge.hpp"

#include "actors/evaluation/plan.hpp"
#include "actors/messages/keys.hpp"
#include "backends/judge/outcome_figures.hpp"
#include "runtime/base/codec.hpp"
#include "runtime/base/wall_clock.hpp"
#include "runtime/node/evaluate_once.hpp"
#include "runtime/node/node_parts.hpp"
#include "store/store.hpp"

#include <caf/scoped_actor.hpp>
#include <fmt/core.h>

#include <algorithm>
#include <tuple>

namespace kevolve {

namespace {

constexpr size_t campaigns_read = 100'000;
constexpr size_t nodes_a_read = 4'096;
constexpr auto store_limit = std::chrono::seconds{60};

struct known_campaign {
  id128 id;
  campaign_submission submission;
};

result<std::vector<known_campaign>> campaigns_of(const store& data) {
  const std::string prefix = "campaign/";
  auto rows = data.scan(table::index, prefix, campaigns_read);
  if (!rows)
    return tl::unexpected(rows.error());
  std::vector<known_campaign> out;
  for (auto& [key, value] : *rows)
    if (auto submission = decode<campaign_submission>(value))
      out.push_back({id_of(std::string_view{key}.substr(prefix.size())), std::move(*submission)});
  return out;
}

template <class T>
std::optional<T> kept(const store& data, table where, const std::string& key) {
  auto bytes = data.get(where, key);
  if (!bytes || !*bytes)
    return std::nullopt;
  auto value = decode_older<T>(**bytes);
  return value ? std::optional<T>{std::move(*value)} : std::nullopt;
}

// Returns the harness that judged the node last; empty if none has.
std::string last_harness(const store& data, const id128& campaign, const node_record& node) {
  if (auto again = kept<rejudgement>(data, table::index, rejudgement_key(campaign, node.index)))
    return again->harness;
  for (auto i = node.evaluations.rbegin(); i != node.evaluations.rend(); ++i)
    if (auto e = kept<evaluation_record>(data, table::evaluations, keys::evaluation(*i));
        e && !is_build(parse_enum<stage>(e->stage).value_or(stage::screening)))
      return e->harness;
  return {};
}

int rank(const stale_node& x) {
  if (x.best)
    return 0;
  if (x.record.confirmed)
    return 1;
  return x.record.result == verdict::pass ? 2 : 3;
}

// Returns the campaign's status with a mark that its best no longer holds, so that lists show it.
std::optional<stored_value> marked_status(const store& data, const stale_node& what, const rejudgement& r) {
  if (!what.best || r.objection.empty())
    return std::nullopt;
  auto status = kept<campaign_status>(data, table::index, keys::status(what.campaign));
  if (!status)
    return std::nullopt;
  status->final_confirmed = false;
  status->reason = fmt::format("judged again, its best no longer holds: candidate {}: {}", r.index, r.objection);
  return stored_value{keys::index, keys::status(what.campaign), encode(*status)};
}

} // namespace

const store& store_of(node& where) {
  return *where.parts_of().data;
}

store& writable_store_of(node& where) {
  return *where.parts_of().data;
}

std::string rejudgement_key(const id128& campaign, uint64_t index) {
  return "rejudged/" + keys::of(campaign) + keys::big_endian(index);
}

result<id128> find_campaign(const store& data, const std::string& said) {
  auto all = campaigns_of(data);
  if (!all)
    return tl::unexpected(all.error());
  std::vector<id128> found;
  for (const auto& c : *all)
    if (!said.empty() && (to_string(c.id).rfind(said, 0) == 0 || c.submission.name == said))
      found.push_back(c.id);
  if (found.empty())
    return fail(errc::not_found, "no campaign '" + said + "' in " + data.directory());
  if (found.size() > 1)
    return fail(errc::bad_input,
                fmt::format("'{}' may be any of {} campaigns: give more of its id", said, found.size()));
  return found.front();
}

result<std::vector<stale_node>> find_stale(const store& data, const std::optional<id128>& only,
                                           const std::map<std::string, std::string>& current) {
  auto all = campaigns_of(data);
  if (!all)
    return tl::unexpected(all.error());
  std::vector<stale_node> out;
  for (const auto& c : *all) {
    if (only && c.id != *only)
      continue;
    auto spec = decode_older<campaign_spec>(c.submission.spec);
    if (!spec)
      return tl::unexpected(spec.error());
    auto today = current.find(spec->target);
    if (today == current.end())
      continue;
    auto status = kept<campaign_status>(data, table::index, keys::status(c.id));
    std::string after;
    for (;;) {
      auto rows = data.scan(table::nodes, keys::of(c.id), nodes_a_read, after);
      if (!rows)
        return tl::unexpected(rows.error());
      for (const auto& [key, value] : *rows) {
        auto record = decode_older<node_record>(value);
        if (!record || record->state != candidate_state::finished)
          continue;
        auto harness = last_harness(data, c.id, *record);
        if (harness.empty() || harness == today->second)
          continue;
        auto best = status && status->best == record->index;
        out.push_back({c.id, c.submission.name, spec->target, best, std::move(harness), std::move(*record)});
      }
      if (rows->size() < nodes_a_read)
        break;
      after = rows->back().first;
    }
  }
  auto order = [](const stale_node& x) { return std::tuple{rank(x), -x.record.speedup, x.campaign, x.record.index}; };
  std::sort(out.begin(), out.end(), [&](const stale_node& a, const stale_node& b) { return order(a) < order(b); });
  return out;
}

std::string objection_to(const node_record& record, const evaluation& now) {
  if (record.result != verdict::pass)
    return now.result == record.result
               ? std::string{}
               : fmt::format("it was {}, and is {} now", to_string(record.result), to_string(now.result));
  if (now.result != verdict::pass)
    return fmt::format("{}: {}{}{}", to_string(now.result), now.rule, now.detail.empty() ? "" : ": ", now.detail);
  if (record.confirmed && now.ci_low <= 1.0)
    return fmt::format("it is not shown to be faster than the reference: {:.3f}, {}: {:.3f} to {:.3f}", now.speedup,
                       interval_name(basis_of(now.last)), now.ci_low, now.ci_high);
  return {};
}

result<rejudgement> rejudge(node& where, const stale_node& what, std::chrono::seconds limit) {
  auto& p = where.parts_of();
  auto submission = kept<campaign_submission>(*p.data, table::index, keys::campaign(what.campaign));
  auto spec =
      submission ? decode_older<campaign_spec>(submission->spec) : fail(errc::not_found, "its submission is gone");
  if (!spec)
    return tl::unexpected(spec.error());
  auto source = p.data->blob(what.record.proposal.source);
  if (!source || !*source)
    return fail(errc::not_found, "its source is gone");
  const auto& proposed = what.record.proposal;
  candidate again{proposed.language, **source, proposed.flags, proposed.generator, proposed.genome, proposed.summary};
  auto judged = evaluate_once(where, *spec, again, limit);
  if (!judged)
    return tl::unexpected(judged.error());
  const auto& e = judged->outcome;
  if (e.trouble)
    return fail(errc::unavailable, e.trouble.kind + ": " + e.trouble.detail);
  rejudgement out;
  out.index = what.record.index;
  out.harness = judged->fixed.harness;
  out.time_ns = wall_clock_ns();
  if (judged->fixed.admission.result != verdict::pass) {
    out.rule = judged->fixed.admission.rule;
    out.detail = judged->fixed.admission.detail;
    out.objection = "its task is refused now: " + out.detail;
  } else {
    out.set_measurement(e);
    out.basis = basis_of(e.last);
    out.evaluations = e.evaluations;
    auto stood = what.record;
    stood.confirmed = stood.confirmed || what.best; // a best is confirmed at the end, if not before
    out.objection = objection_to(stood, e);
  }
  append_request a;
  a.campaign = what.campaign;
  a.values.push_back({keys::index, rejudgement_key(what.campaign, out.index), encode(out)});
  if (auto status = marked_status(*p.data, what, out))
    a.values.push_back(std::move(*status));
  std::optional<failure> failed;
  caf::scoped_actor self{p.system};
  self->request(p.journal, store_limit, atom::append_v, std::move(a))
      .receive([](uint64_t) {}, [&](caf::error& why) { failed = to_failure(why); });
  if (failed)
    return tl::unexpected(*failed);
  return out;
}

} // namespace kevolve
