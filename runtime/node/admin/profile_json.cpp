#include "runtime/node/admin/profile_json.hpp"

#include "backends/llm/protocol/plain_text.hpp"
#include "runtime/base/base64.hpp"
#include "runtime/node/admin/records_json.hpp"

namespace kevolve {

namespace {

json words_of(artefact_kind k) {
  return to_string(k);
}

json kinds_json(const std::vector<artefact_kind>& kinds) {
  auto out = json::array();
  for (const auto k : kinds)
    out.push_back(words_of(k));
  return out;
}

} // namespace

json to_json(const profile_record& r, const std::string& diagnosis) {
  auto passes = json::array();
  double seconds = 0.0;
  for (const auto& p : r.passes) {
    if (!p.reused)
      seconds += p.seconds;
    passes.push_back({{"name", p.name},
                      {"state", !p.skipped.empty() ? "skipped"
                                : p.reused         ? "reused"
                                                   : "ran"},
                      {"uses", or_null(p.use)},
                      {"instrumented_build", p.instruments},
                      {"seconds", p.seconds},
                      {"perturbation", p.perturbation > 0.0 ? json(p.perturbation) : json(nullptr)},
                      {"reason", or_null(p.skipped)},
                      {"remedy", or_null(p.remedy)},
                      {"artefacts", p.artefacts}});
  }
  const auto document = json::parse(diagnosis, nullptr, false);
  return {{"candidate", r.index},   {"shape", r.shape},
          {"budget_s", r.budget_s}, {"seconds", seconds},
          {"time_ns", r.time_ns},   {"sandbox_level", or_null(r.sandbox_level)},
          {"passes", passes},       {"diagnosis", document.is_discarded() ? json(nullptr) : document}};
}

json to_json(const job_plan& plan) {
  auto passes = json::array();
  for (const auto& p : plan.passes)
    passes.push_back({{"name", p.name},
                      {"summary", p.summary},
                      {"reads", kinds_json(p.reads)},
                      {"makes", kinds_json(p.makes)},
                      {"uses", to_string(p.use)},
                      {"instrumented_build", p.instruments},
                      {"estimate_s", p.estimate_s}});
  auto omitted = json::array();
  for (const auto& o : plan.omitted)
    omitted.push_back({{"name", o.name}, {"reason", o.reason}, {"remedy", or_null(o.remedy)}});
  return {{"passes", passes}, {"omitted", omitted}, {"estimate_s", plan.estimate_s}};
}

std::optional<artefact_place> find_artefact(const profile_record& r, const std::string& digest) {
  for (const auto& p : r.passes)
    for (const auto& [kind, made] : p.artefacts)
      if (made == digest)
        return artefact_place{p.name, kind};
  return std::nullopt;
}

json artefact_json(const artefact_place& place, const std::string& digest, const std::string& content) {
  const auto is_text = content.find('\0') == std::string::npos && llm::is_valid_utf8(content);
  return {{"pass", place.pass},
          {"kind", place.kind},
          {"digest", digest},
          {"bytes", content.size()},
          {"text", is_text ? json(content) : json(nullptr)},
          {"base64", is_text ? json(nullptr) : json(to_base64(content))}};
}

result<std::string> artefact_content(const json& artefact) {
  const auto text_of = [&](const char* key) {
    const auto found = artefact.is_object() ? artefact.find(key) : artefact.end();
    return artefact.is_object() && found != artefact.end() && found->is_string() ? found->get_ptr<const std::string*>()
                                                                                 : nullptr;
  };
  if (const auto* text = text_of("text"))
    return *text;
  if (const auto* coded = text_of("base64"))
    if (auto bytes = from_base64(*coded))
      return std::move(*bytes);
  return fail(errc::bad_input, "the answer holds no artefact");
}

} // namespace kevolve
