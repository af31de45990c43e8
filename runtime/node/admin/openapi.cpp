#include "runtime/node/admin/api.hpp"
#include "runtime/node/admin/json.hpp"
#include "runtime/node/admin/router.hpp"

#include <algorithm>

namespace kevolve {

namespace {

constexpr const char* problem_type = "application/problem+json";

// Describes how long idempotency_memory keeps keys.
std::string kept_keys_text() {
  return "a repeated request with the same key gets the first one's answer, as long as the key is remembered: for "
         + std::to_string(idempotency_memory::kept_for.count()) + " hours or until "
         + std::to_string(idempotency_memory::most_kept)
         + " newer keys have come, whichever is sooner; then it is a new request. A 5xx is forgotten at once, unless "
           "the request was carried out "
           "and that could not be recorded";
}

json parameters_of(const route& r) {
  auto out = json::array();
  size_t from = 0;
  while ((from = r.pattern.find('{', from)) != std::string::npos) {
    auto end = r.pattern.find('}', from);
    out.push_back({{"name", r.pattern.substr(from + 1, end - from - 1)},
                   {"in", "path"},
                   {"required", true},
                   {"schema", {{"type", "string"}}}});
    from = end;
  }
  for (const auto& p : r.query) {
    json schema{{"type", p.integer ? "integer" : "string"}};
    if (p.integer) {
      schema["minimum"] = p.low;
      schema["default"] = p.fallback;
      if (p.high != UINT64_MAX)
        schema["maximum"] = p.high;
    }
    if (!p.choices.empty())
      schema["enum"] = p.choices;
    out.push_back(
        {{"name", p.name}, {"in", "query"}, {"required", false}, {"description", p.summary}, {"schema", schema}});
  }
  if (r.method == "POST")
    out.push_back({{"name", "Idempotency-Key"},
                   {"in", "header"},
                   {"required", false},
                   {"description", kept_keys_text()},
                   {"schema", {{"type", "string"}, {"maxLength", 128}}}});
  return out;
}

json operation_of(const route& r) {
  json content = json::object();
  for (const auto& type : r.produces)
    content[type] = {{"schema", type == "application/json" ? json{{"type", "object"}} : json{{"type", "string"}}}};
  json out{{"operationId", r.id}, {"summary", r.summary}};
  if (auto parameters = parameters_of(r); !parameters.empty())
    out["parameters"] = std::move(parameters);
  if (!r.body.empty()) {
    json properties = json::object();
    for (const auto& key : r.body)
      properties[key] = {{"type", "string"}};
    out["requestBody"] = {
        {"required", false},
        {"content",
         {{"application/json",
           {{"schema", {{"type", "object"}, {"properties", properties}, {"additionalProperties", false}}}}}}}};
  }
  if (!r.fields.empty()) {
    const auto required = std::any_of(r.fields.begin(), r.fields.end(), [](const auto& f) { return f.required; });
    out["requestBody"] = {{"required", required},
                          {"content", {{"application/json", {{"schema", body_schema(r.fields)}}}}}};
  }
  out["responses"] = {{"200", {{"description", "done"}, {"content", content}}},
                      {"default", {{"$ref", "#/components/responses/problem"}}}};
  if (!r.conflict.empty())
    out["responses"]["409"] = {{"description", r.conflict},
                               {"content", {{problem_type, {{"schema", {{"$ref", "#/components/schemas/problem"}}}}}}}};
  if (r.open)
    out["security"] = json::array();
  if (r.deprecated)
    out["deprecated"] = true;
  return out;
}

// Names of the version before that stand beside their successors in answers until the next version.
json deprecated_keys() {
  return {{"best.node", "best.candidate"},
          {"origin.node", "origin.candidate"},
          {"inject: node", "candidate"},
          {"relay prompt: node", "candidate"},
          {"batch status: away", "exported"},
          {"ci95", "interval"},
          {"rival", "baseline"},
          {"samples.rival_ns", "samples.baseline_ns"},
          {"evidence: rival", "baseline"},
          {"evidence: launches.rival", "launches.baseline"},
          {"evidence: comparison.rival", "comparison.baseline"},
          {"evidence: weathered", "decided_despite_noise"}};
}

std::string lower(std::string text) {
  for (auto& c : text)
    if (c >= 'A' && c <= 'Z')
      c = static_cast<char>(c - 'A' + 'a');
  return text;
}

} // namespace

std::string openapi_of(const std::vector<route>& table, const std::string& version) {
  json paths = json::object();
  for (const auto& r : table)
    paths[r.pattern][lower(r.method)] = operation_of(r);
  json problem_schema{
      {"type", "object"},
      {"properties",
       {{"type", {{"type", "string"}}},
        {"title", {{"type", "string"}}},
        {"status", {{"type", "integer"}}},
        {"detail", {{"type", "string"}}},
        {"errors",
         {{"type", "array"},
          {"items",
           {{"type", "object"},
            {"properties", {{"key", {{"type", {"string", "null"}}}}, {"detail", {{"type", "string"}}}}}}}}}}},
      {"required", {"type", "title", "status", "detail"}}};
  json document{{"openapi", "3.1.0"},
                {"info",
                 {{"title", "kevolve admin"},
                  {"version", version},
                  {"description", "Campaigns, candidates, actors and resources of one kevolve node"},
                  {"license", {{"name", "Apache-2.0"}, {"identifier", "Apache-2.0"}}}}},
                {"security", json::array({{{"token", json::array()}}})},
                {"x-deprecated-keys", deprecated_keys()},
                {"paths", paths},
                {"components",
                 {{"securitySchemes", {{"token", {{"type", "http"}, {"scheme", "bearer"}}}}},
                  {"schemas", {{"problem", problem_schema}}},
                  {"responses",
                   {{"problem",
                     {{"description", "what went wrong; `type` is stable"},
                      {"content", {{problem_type, {{"schema", {{"$ref", "#/components/schemas/problem"}}}}}}}}}}}}}};
  return to_pretty_text(document);
}

} // namespace kevolve
