// Reads what the store knows of a candidate for its profile.
#include "actors/cluster/capacity.hpp"
#include "actors/evaluation/profile_run.hpp"
#include "actors/messages/records.hpp"
#include "actors/synthesis/context.hpp"
#include "config/campaign.hpp"
#include "runtime/base/kinds.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>

namespace kevolve {

namespace {

using nlohmann::json;

template <class T>
result<T> stored(const store& data, table where, const std::string& key, const std::string& what) {
  auto bytes = data.get(where, key);
  if (!bytes)
    return tl::unexpected(bytes.error());
  if (!*bytes)
    return fail(errc::not_found, what + " is not stored");
  return decode_older<T>(**bytes);
}

// Adds the medians of an evaluation's samples, and its evidence. A later evaluation replaces an earlier one.
void add_outcome(const evaluation_record& e, json& timings, json& evidence) {
  const auto times = times_of(e);
  for (const auto& [shape, ns] : times.candidate_ns)
    if (ns > 0.0) {
      const auto baseline = times.baseline_ns.find(shape);
      timings[shape] = {{"candidate_ns", ns},
                        {"baseline_ns", baseline == times.baseline_ns.end() ? 0.0 : baseline->second}};
    }
  for (const auto& [name, text] : e.outcome.evidence)
    evidence[name] = text;
}

// Returns the reference's times as the admission measured them.
json reference_timings(const preparation& p) {
  json out = json::object();
  const std::string prefix = "reference_ns.";
  for (const auto& [name, text] : p.admission.evidence)
    if (name.starts_with(prefix))
      if (const auto ns = std::strtod(text.c_str(), nullptr); ns > 0.0)
        out[name.substr(prefix.size())] = {{"candidate_ns", ns}, {"baseline_ns", ns}};
  return out;
}

// Returns the index of the shape: the named one, else the timed one with the longest call, else the first declared one.
result<size_t> shape_of(const contract& task, const std::string& name, const json& timings) {
  std::optional<size_t> best;
  double longest = -1.0;
  for (size_t i = 0; i < task.shapes.size(); ++i) {
    const auto& s = task.shapes[i];
    if (!name.empty()) {
      if (s.name == name)
        return i;
      continue;
    }
    if (s.held_out)
      continue;
    const auto found = timings.find(s.name);
    const auto ns = found == timings.end() ? 0.0 : (*found)["candidate_ns"].get<double>();
    if (ns > longest) {
      longest = ns;
      best = i;
    }
  }
  if (best)
    return *best;
  std::string names;
  for (const auto& s : task.shapes)
    names += (names.empty() ? "" : ", ") + s.name;
  return fail(errc::not_found, "the task declares no shape '" + name + "'; there are: " + names);
}

template <class T>
T of_target(const std::map<std::string, T>& settings, const std::string& target) {
  const auto found = settings.find(target);
  return found == settings.end() ? T{} : found->second;
}

struct subject_parts {
  campaign_spec spec;
  preparation prepared;
  json timings = json::object();
  json evidence = json::object();
  std::vector<evaluation_record> evaluations;
  std::string object; // blob
};

result<void> read_candidate(const store& data, const profile_order& order, subject_parts& parts, profile_subject& out) {
  auto record = stored<node_record>(data, table::nodes, keys::node(order.campaign, order.index),
                                    "candidate " + std::to_string(order.index));
  if (!record)
    return tl::unexpected(record.error());
  if (record->result != verdict::pass)
    return fail(errc::bad_input, "candidate " + std::to_string(order.index) + " did not pass ("
                                     + to_string(record->result) + "): only right code is profiled");
  auto source = data.blob(record->proposal.source);
  if (!source || !*source)
    return fail(errc::not_found, "the source of candidate " + std::to_string(order.index) + " is not stored");
  out.candidate = record->proposal.candidate;
  out.request.source = std::move(**source);
  out.request.language = record->proposal.language;
  out.request.flags = record->proposal.flags;
  parts.object = record->object;
  for (const auto& id : record->evaluations)
    if (auto e = stored<evaluation_record>(data, table::evaluations, keys::evaluation(id), "an evaluation")) {
      add_outcome(*e, parts.timings, parts.evidence);
      parts.evaluations.push_back(std::move(*e));
    }
  return {};
}

void read_reference(const target& hardware, subject_parts& parts, profile_subject& out) {
  out.request.source = parts.spec.task.reference_source;
  out.request.language = parts.spec.task.task.language;
  for (const auto& f : hardware.flag_menu())
    if (f.baseline)
      out.request.flags = f.name;
  parts.object = parts.prepared.reference_object;
  parts.timings = reference_timings(parts.prepared);
}

// A build whose object is no longer kept is listed without it.
void forget_lost_objects(const store& data, std::vector<listed_stage>& stages) {
  for (auto& s : stages)
    if (s.content.empty())
      std::erase_if(s.pass.artefacts, [&](const auto& made) {
        const auto kept = data.blob(made.second);
        return !kept || !*kept;
      });
}

} // namespace

result<profile_subject> read_subject(const profiling_place& place, const profile_order& order) {
  auto submission = stored<campaign_submission>(place.data, table::index, keys::campaign(order.campaign),
                                                "campaign " + to_string(order.campaign));
  if (!submission)
    return tl::unexpected(submission.error());
  subject_parts parts;
  if (auto spec = decode_older<campaign_spec>(submission->spec))
    parts.spec = std::move(*spec);
  else
    return tl::unexpected(spec.error());
  if (auto prepared =
          stored<preparation>(place.data, table::index, keys::prepared(order.campaign), "the campaign's preparation"))
    parts.prepared = std::move(*prepared);
  auto hardware =
      make_target(parts.spec.target, place.settings.helper_dir, of_target(place.settings.cores, parts.spec.target),
                  of_target(place.settings.decisions, parts.spec.target));
  if (!hardware)
    return tl::unexpected(hardware.error());
  profile_subject out;
  out.target = parts.spec.target;
  auto& q = out.request;
  q.task = parts.spec.task.task;
  q.target = out.target;
  q.budget_s = order.budget_s;
  q.bin_dir = place.settings.helper_dir;
  for (const auto& [name, value] : (*hardware)->hardware())
    parts.evidence[name] = value;
  for (const auto& [name, text] : parts.prepared.peaks)
    parts.evidence[name] = text;
  out.judged_on = judge_hardware(parts.prepared.device, parts.prepared.harness);
  if (order.index == 0)
    read_reference(**hardware, parts, out);
  else if (auto ok = read_candidate(place.data, order, parts, out); !ok)
    return tl::unexpected(ok.error());
  out.stages = listed_stages(parts.prepared, parts.evaluations);
  forget_lost_objects(place.data, out.stages);
  const auto shape = shape_of(q.task, order.shape, parts.timings);
  if (!shape)
    return tl::unexpected(shape.error());
  q.shape = *shape;
  const auto devices = (*hardware)->devices();
  q.core = devices.empty() || devices[0].cores.empty() ? 0 : devices[0].cores[0];
  if (!parts.object.empty())
    if (auto object = place.data.blob(parts.object); object && *object) {
      q.object = std::move(**object);
      out.digests[artefact_kind::object] = parts.object;
    }
  out.digests[artefact_kind::source] = sha256_hex(q.source);
  q.have[artefact_kind::evidence] = parts.evidence.dump();
  if (!parts.timings.empty())
    q.have[artefact_kind::timings] = parts.timings.dump();
  for (const auto& [kind, text] : q.have)
    out.digests[kind] = sha256_hex(text);
  out.ground.call = encode(
      std::vector<std::string>{to_string(contract_id(q.task)), q.task.shapes[q.shape].name, q.language, q.flags});
  out.ground.machine =
      encode(std::vector<std::string>{(*hardware)->toolchain_fingerprint(q.task.libraries),
                                      !parts.prepared.device.empty() ? parts.prepared.device
                                      : devices.empty()              ? std::string{}
                                                                     : (*hardware)->device_fingerprint(devices[0])});
  return out;
}

std::map<id128, profiled_pass> stored_passes(const store& data, const id128& campaign) {
  constexpr size_t most = 1'000;
  std::map<id128, profiled_pass> out;
  if (auto rows = data.scan(table::index, keys::profiles + keys::of(campaign), most))
    for (const auto& [key, value] : *rows)
      if (auto record = decode_older<profile_record>(value))
        for (auto& p : record->passes)
          if (p.skipped.empty() && p.key)
            out.insert_or_assign(p.key, std::move(p));
  return out;
}

result<std::optional<profile_record>> stored_profile(const store& data, const id128& campaign, uint64_t index) {
  auto bytes = data.get(table::index, keys::profile(campaign, index));
  if (!bytes)
    return tl::unexpected(bytes.error());
  if (!*bytes)
    return std::nullopt;
  auto record = decode_older<profile_record>(**bytes);
  return record ? result<std::optional<profile_record>>{std::move(*record)} : tl::unexpected(record.error());
}

std::string with_hardware(const std::string& evidence, const target& hardware) {
  auto facts = json::parse(evidence, nullptr, false);
  if (!facts.is_object())
    facts = json::object();
  for (const auto& [name, value] : hardware.hardware())
    facts[name] = value;
  return facts.dump();
}

} // namespace kevolve
