#include "actors/evaluation/stored_bounds.hpp"

#include "actors/evaluation/bound_explanation.hpp"
#include "actors/evaluation/diagnosis.hpp"
#include "backends/profile/bound_class.hpp"
#include "backends/profile/run_passes.hpp"
#include "runtime/base/codec.hpp"

#include <algorithm>

namespace kevolve {

namespace {

using nlohmann::json;

constexpr size_t most_profiles = 1'000;
constexpr size_t events_a_read = 1'024;

struct quick_look {
  json diagnosis;
  std::vector<omitted_pass> impossible;
};

// Diagnoses a candidate without a profile by the passes that run nothing.
quick_look look_quickly(const profiling_place& place, const profile_order& order) {
  quick_look out;
  const auto s = read_subject(place, order);
  if (!s)
    return out;
  profile_job job;
  job.task = s->request.task;
  job.shape = s->request.shape;
  job.target = s->target;
  job.source = s->request.source;
  job.object = s->request.object;
  for (const auto& [kind, content] : s->request.have)
    job.have[to_string(kind)] = content;
  profile_question q;
  for (const auto& [kind, digest] : s->digests)
    q.have.insert(kind);
  q.budget_s = 0.0;
  const auto passes = passes_for(profile_passes(), s->request);
  for (const auto& p : passes)
    if (find_pass(p.name) != nullptr && !p.can.available)
      out.impossible.push_back({p.name, p.can.reason, p.can.remedy});
  for (const auto& p : plan_passes(passes, q).passes)
    if (p.use == pass_use::nothing && find_pass(p.name) != nullptr)
      job.passes.push_back(p.name);
  job.budget_s = 1.0;
  diagnosis_facts facts;
  facts.have = s->request.have;
  run_passes(
      job, profile_passes(), {}, [](const std::string&) {},
      [&](const pass_outcome& x) {
        if (!x.skipped.empty())
          out.impossible.push_back({x.name, x.skipped, x.remedy});
        for (const auto& [kind, content] : x.made)
          if (const auto k = parse_enum<artefact_kind>(kind))
            facts.have[*k] = content;
        const auto listed = json::parse(x.findings, nullptr, false);
        for (const auto& f : listed.is_array() ? listed : json::array())
          if (auto found = finding_of_json(f))
            facts.findings.push_back(std::move(*found));
      });
  facts.task = job.task.name;
  facts.target = s->target;
  facts.index = order.index;
  facts.shape = job.task.shapes[job.shape].name;
  facts.source = job.source;
  out.diagnosis = diagnosis_of(facts);
  return out;
}

json document_of(const store& data, const std::string& digest) {
  const auto text = digest.empty() ? result<std::optional<std::string>>{std::nullopt} : data.blob(digest);
  auto out = text && *text ? json::parse(**text, nullptr, false) : json(nullptr);
  return out.is_object() ? out : json(nullptr);
}

// Returns the latest profile of each candidate, with what its diagnosis says.
std::vector<profiling_record> latest_profiles(const store& data, const id128& campaign) {
  std::vector<profiling_record> out;
  if (const auto rows = data.scan(table::index, keys::profiles + keys::of(campaign), most_profiles))
    for (const auto& [key, value] : *rows)
      if (const auto record = decode_older<profile_record>(value)) {
        auto r = summary_of(document_of(data, record->diagnosis));
        r.index = record->index;
        r.diagnosis = record->diagnosis;
        out.push_back(std::move(r));
      }
  return out;
}

// Returns the profiles that the campaign recorded. Later ones of the verb may have replaced those with the candidates.
std::vector<profiling_record> recorded_profiles(const store& data, const id128& campaign) {
  std::vector<profiling_record> out;
  for (uint64_t from = 1;;) {
    const auto events = data.read_events(campaign, from, events_a_read);
    if (!events || events->empty())
      return out;
    for (const auto& e : *events)
      if (static_cast<event_kind>(e.kind) == event_kind::candidate_profiled)
        if (auto r = decode_older<profiling_record>(e.payload))
          out.push_back(std::move(*r));
    from = events->back().campaign_sequence + 1;
  }
}

uint64_t named_in(const profiling_brief& b) {
  uint64_t out = 0;
  for (const auto& [bound, candidates] : b.bounds)
    out += bound == to_string(bound_class::unknown) ? 0 : candidates;
  return out;
}

bool any_loop_timed(const json& diagnosis) {
  const auto loops = diagnosis.is_object() ? diagnosis.value("loops", json::array()) : json::array();
  return loops.empty() || std::any_of(loops.begin(), loops.end(), [](const auto& l) { return l["ns"].is_number(); });
}

json described(const profiling_record& r, const std::string& relation) {
  const auto& row = row_of(parse_enum<bound_class>(r.bound).value_or(bound_class::unknown));
  return {{"candidate", r.index},
          {"relation", relation},
          {"class", to_string(row.bound)},
          {"title", row.words},
          {"confidence", r.confidence},
          {"share", r.share},
          {"line", r.line == 0 ? json(nullptr) : json(r.line)},
          {"strategy", row.strategy}};
}

} // namespace

stored_bounds read_bounds(const profiling_place& place, const id128& campaign, const campaign_spec& spec,
                          const campaign_status& status, const std::vector<node_record>& nodes) {
  stored_bounds out;
  auto latest = latest_profiles(place.data, campaign);
  const auto named = std::count_if(latest.begin(), latest.end(), [](const auto& r) { return !r.bound.empty(); });
  if (static_cast<uint64_t>(named) < named_in(status.profiling))
    latest = known_profiles(std::move(latest), recorded_profiles(place.data, campaign));
  out.profiles = by_closeness(std::move(latest), nodes, status.best);
  const auto own =
      std::find_if(out.profiles.begin(), out.profiles.end(), [&](const auto& r) { return r.index == status.best; });
  profiling_circumstances c;
  if (own != out.profiles.end())
    out.diagnosis = document_of(place.data, own->diagnosis);
  out.profiled = c.profiled = out.diagnosis.is_object();
  if (!out.profiled) {
    profile_order order;
    order.campaign = campaign;
    order.index = status.best;
    auto quick = look_quickly(place, order);
    out.diagnosis = std::move(quick.diagnosis);
    c.impossible = std::move(quick.impossible);
  }
  if (own != out.profiles.end() && !own->bound.empty() && !out.profiled && out.diagnosis.is_object())
    out.diagnosis["bound"] = described(*own, {}); // its document is gone, and what it named is not
  if (!summary_of(out.diagnosis).bound.empty())
    return out;
  c.spent = status.profiling;
  c.budget_s = spec.profile.budget_s;
  c.wall_s = status.wall_s;
  c.best = status.best;
  c.judged = static_cast<size_t>(
      std::count_if(nodes.begin(), nodes.end(), [](const auto& n) { return n.result != verdict::none; }));
  c.loops_timed = any_loop_timed(out.diagnosis);
  if (const auto record = stored_profile(place.data, campaign, status.best); c.profiled && record && *record)
    c.passes = (*record)->passes;
  out.why_not = why_no_bound(c);
  if (!out.profiles.empty() && !out.profiles.front().bound.empty())
    out.other = document_of(place.data, out.profiles.front().diagnosis);
  return out;
}

json bound_json(const stored_bounds& bounds, const std::vector<node_record>& nodes, uint64_t best) {
  auto own = summary_of(bounds.diagnosis);
  own.index = best;
  if (!own.bound.empty())
    return described(own, relation_to(nodes, best, best));
  if (bounds.profiles.empty() || bounds.profiles.front().bound.empty())
    return nullptr;
  const auto& nearest = bounds.profiles.front();
  return described(nearest, relation_to(nodes, best, nearest.index));
}

json profiles_json(const stored_bounds& bounds, const std::vector<node_record>& nodes, uint64_t best) {
  auto out = json::array();
  for (const auto& r : bounds.profiles)
    out.push_back(described(r, relation_to(nodes, best, r.index)));
  return out;
}

} // namespace kevolve
