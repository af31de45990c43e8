#include "actors/evaluation/listed_stages.hpp"

#include "actors/evaluation/job_graph.hpp"
#include "actors/synthesis/context.hpp"
#include "backends/protocol.hpp"

#include <nlohmann/json.hpp>

#include <optional>

namespace kevolve {

namespace {

using nlohmann::json;

listed_stage entry_of(stage s, int64_t ns) {
  const auto& p = pass_of(s);
  listed_stage out;
  out.pass.name = p.name;
  out.pass.use = to_string(p.use);
  out.pass.seconds = static_cast<double>(ns) / 1e9;
  out.pass.reused = true; // no profile runs it
  return out;
}

void add(listed_stage& to, artefact_kind kind, const json& content) {
  to.content.push_back(content.dump(-1, ' ', false, json::error_handler_t::replace));
  to.pass.artefacts[to_string(kind)] = sha256_hex(to.content.back());
}

json word_of(const judge_outcome& o) {
  return {{"verdict", to_string(o.result)}, {"rule", o.rule},     {"detail", o.detail},
          {"speedup", o.speedup},           {"ci_low", o.ci_low}, {"ci_high", o.ci_high}};
}

// Returns the medians of a comparison by shape.
json times_json(const evaluation_record& e) {
  auto out = json::object();
  const auto times = times_of(e);
  for (const auto& [shape, ns] : times.candidate_ns) {
    const auto baseline = times.baseline_ns.find(shape);
    out[shape] = {{"candidate_ns", ns}, {"baseline_ns", baseline == times.baseline_ns.end() ? 0.0 : baseline->second}};
  }
  return out;
}

// Returns the replay that ran in the session; nothing if the session has none.
std::optional<listed_stage> replay_of(stage s, const judge_outcome& o) {
  if (!replays_sanitised(s))
    return std::nullopt;
  const auto text = [&](const char* name) {
    const auto found = o.evidence.find(name);
    return found == o.evidence.end() ? std::string{} : found->second;
  };
  auto out = entry_of(stage::replay, 0); // its time is part of the session's
  if (const auto whole = text(sanitised_evidence); !whole.empty()) {
    add(out, artefact_kind::replay, {{"sanitised", whole}, {"note", text(sanitised_note_evidence)}});
    return out;
  }
  out.pass.skipped = text(unsanitised_evidence);
  return out.pass.skipped.empty() ? std::nullopt : std::optional{out};
}

} // namespace

std::vector<listed_stage> listed_stages(const preparation& prepared,
                                        const std::vector<evaluation_record>& evaluations) {
  std::vector<listed_stage> out;
  if (prepared.admission.result != verdict::none) {
    out.push_back(entry_of(stage::admit, prepared.admission.judge_ns));
    auto word = word_of(prepared.admission);
    word["evidence"] = prepared.admission.evidence;
    add(out.back(), artefact_kind::admission, word);
  }
  for (const auto& e : evaluations) {
    const auto s = parse_enum<stage>(e.stage);
    if (!s || e.outcome.result == verdict::none)
      continue;
    out.push_back(entry_of(*s, e.wall_ns));
    if (is_build(*s)) {
      if (!e.object.empty())
        out.back().pass.artefacts[to_string(pass_of(*s).makes.front())] = e.object;
      continue;
    }
    add(out.back(), artefact_kind::verdict, word_of(e.outcome));
    if (const auto times = times_json(e); !times.empty())
      add(out.back(), artefact_kind::timings, times);
    if (auto replay = replay_of(*s, e.outcome))
      out.push_back(std::move(*replay));
  }
  return out;
}

void list_first(const std::vector<listed_stage>& stages, profile_record& record, std::vector<std::string>& blobs) {
  for (const auto& s : stages) {
    record.passes.push_back(s.pass);
    blobs.insert(blobs.end(), s.content.begin(), s.content.end());
  }
}

} // namespace kevolve
