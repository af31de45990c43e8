#include "actors/evaluation/explanation.hpp"

#include "actors/evaluation/bound_explanation.hpp"
#include "actors/evaluation/explanation_reasons.hpp"
#include "actors/evaluation/stored_bounds.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <map>
#include <set>

namespace kevolve {

namespace {

using nlohmann::json;

constexpr size_t most_nodes = 100'000;
constexpr size_t nodes_a_read = 4'096;
constexpr size_t most_attempts = 12;

std::string line_of(const std::string& source, size_t line) {
  size_t at = 0;
  for (size_t i = 1; i < line && at != std::string::npos; ++i)
    at = source.find('\n', at) == std::string::npos ? std::string::npos : source.find('\n', at) + 1;
  if (line == 0 || at == std::string::npos)
    return {};
  auto text = source.substr(at, source.find('\n', at) - at);
  text.erase(0, std::min(text.find_first_not_of(" \t"), text.size()));
  return text.substr(0, 160);
}

// Returns the assertion for the task file that unlocks the loop; empty if none does.
std::string task_lines(loop_obstacle o, size_t line) {
  if (o != loop_obstacle::same_place && o != loop_obstacle::indirect_place)
    return {};
  return "[[assert]]\nkind = \"independent\"\nline = " + std::to_string(line) + "\n";
}

json obstacle_json(loop_obstacle o, const std::string& why, size_t line) {
  if (o == loop_obstacle::none)
    return nullptr;
  const auto& row = row_of(o);
  const auto lines = task_lines(o, line);
  return {{"obstacle", to_string(o)},
          {"why", why},
          {"rewrite", row.rewrite},
          {"assertion", row.assertion.empty() ? json(nullptr) : json(row.assertion)},
          {"task_lines", lines.empty() ? json(nullptr) : json(lines)}};
}

template <class T>
std::optional<T> stored(const store& data, table where, const std::string& key) {
  auto bytes = data.get(where, key);
  if (!bytes || !*bytes)
    return std::nullopt;
  auto value = decode_older<T>(**bytes);
  return value ? std::optional<T>{std::move(*value)} : std::nullopt;
}

result<std::vector<node_record>> nodes_of(const store& data, const id128& campaign) {
  std::vector<node_record> out;
  std::string after;
  while (out.size() < most_nodes) {
    auto rows = data.scan(table::nodes, keys::of(campaign), nodes_a_read, after);
    if (!rows)
      return tl::unexpected(rows.error());
    for (const auto& [key, value] : *rows)
      if (auto record = decode_older<node_record>(value))
        out.push_back(std::move(*record));
    if (rows->size() < nodes_a_read)
      break;
    after = rows->back().first;
  }
  return out;
}

synthesis_context context_of(const profiling_place& place, const campaign_spec& spec, const preparation& prepared) {
  const auto hardware = make_target(spec.target, place.settings.helper_dir);
  synthesis_context c;
  c.task = spec.task.task;
  c.reference_source = spec.task.reference_source;
  if (!prepared.syntax_tree.empty())
    if (auto tree = place.data.blob(prepared.syntax_tree); tree && *tree)
      c.syntax_tree = std::make_shared<const std::string>(std::move(**tree));
  if (hardware) {
    c.hardware = (*hardware)->hardware();
    for (const auto& f : (*hardware)->flag_menu()) {
      c.flag_menu.push_back(f.name);
      if (f.baseline)
        c.baseline_flags = f.name;
    }
  }
  return c;
}

} // namespace

std::vector<attempt_without_gain> attempts_without_gain(const std::vector<node_record>& nodes, uint64_t best,
                                                        size_t most) {
  std::map<uint64_t, const node_record*> by_index;
  for (const auto& n : nodes)
    by_index[n.index] = &n;
  const auto lineage = lineage_of(nodes, best);
  const std::set<uint64_t> on_the_way{lineage.begin(), lineage.end()};
  std::vector<attempt_without_gain> out;
  std::set<std::string> named;
  for (const auto parent : lineage)
    for (const auto& n : nodes) {
      if (n.parents.empty() || n.parents.front() != parent || on_the_way.contains(n.index) || out.size() >= most
          || n.proposal.summary.empty() || n.result == verdict::none || n.duplicate_of != 0)
        continue;
      const auto* from = by_index.contains(parent) ? by_index[parent] : nullptr;
      const auto before = from == nullptr ? 1.0 : from->speedup;
      const auto gain = n.result == verdict::pass && before > 0.0 ? n.speedup / before : 0.0;
      if (gain >= least_gain || !named.insert(n.proposal.summary).second)
        continue;
      out.push_back({n.index, parent, n.proposal.summary,
                     n.result != verdict::pass ? to_string(n.result)
                     : gain < least_loss       ? "slower"
                                               : "no difference",
                     gain});
    }
  return out;
}

json loops_json(const std::vector<loop_reading>& loops, const std::string& source) {
  auto out = json::array();
  for (const auto& l : loops)
    out.push_back({{"line", l.line},
                   {"label", l.label},
                   {"source", line_of(source, l.line)},
                   {"order", obstacle_json(l.ordered_by, l.ordered_why, l.line)},
                   {"vectors", obstacle_json(l.scalar_by, l.scalar_why, l.line)}});
  return out;
}

result<json> explain_campaign(const profiling_place& place, const id128& campaign) {
  const auto submission = stored<campaign_submission>(place.data, table::index, keys::campaign(campaign));
  if (!submission)
    return fail(errc::not_found, "no campaign " + to_string(campaign));
  auto spec = decode_older<campaign_spec>(submission->spec);
  if (!spec)
    return tl::unexpected(spec.error());
  const auto status = stored<campaign_status>(place.data, table::index, keys::status(campaign));
  const auto prepared = stored<preparation>(place.data, table::index, keys::prepared(campaign)).value_or(preparation{});
  auto nodes = nodes_of(place.data, campaign);
  if (!nodes)
    return tl::unexpected(nodes.error());
  const auto best = status ? status->best : 0;
  const auto bounds = read_bounds(place, campaign, *spec, status.value_or(campaign_status{}), *nodes);
  const auto bound = bound_json(bounds, *nodes, best);
  const auto context = context_of(place, *spec, prepared);
  const auto embedded = make_generator("transform");
  const auto read = embedded ? (*embedded)->read_reference(context) : std::nullopt;
  const auto reading = read.value_or(reference_reading{});
  auto kept = json::array();
  for (const auto& r : reading.remarks)
    if (r.kept)
      kept.push_back({{"line", r.line}, {"why", r.what}});
  auto tried = json::array();
  for (const auto& a : attempts_without_gain(*nodes, best, most_attempts))
    tried.push_back({{"candidate", a.index},
                     {"parent", a.parent},
                     {"summary", a.summary},
                     {"outcome", a.outcome},
                     {"gain", a.gain > 0.0 ? json(a.gain) : json(nullptr)}});
  json speedup = nullptr;
  for (const auto& n : *nodes)
    if (n.index == best && best != 0)
      speedup = n.speedup;
  const auto loops = loops_json(read_loops(context), spec->task.reference_source);
  const auto reasons = reasons_json(loops, kept, bound, bounds.diagnosis);
  return json{
      {"campaign", to_string(campaign)},
      {"name", submission->name},
      {"task", spec->task.task.name},
      {"target", spec->target},
      {"best", best},
      {"speedup", speedup},
      {"profiled", bounds.profiled},
      {"bound", bound},
      {"why_no_bound", bounds.why_not},
      {"reasons", reasons},
      {"nothing_found", reasons.empty() ? json(nothing_found(loops, *nodes, bounds.why_not)) : json(nullptr)},
      {"diagnosis", bounds.diagnosis},
      {"other_diagnosis", bounds.other},
      {"profiles", profiles_json(bounds, *nodes, best)},
      {"reference",
       {{"file", spec->task.reference_path}, {"rewritable", reading.rewritable}, {"loops", loops}, {"kept", kept}}},
      {"tried_without_gain", tried}};
}

} // namespace kevolve
