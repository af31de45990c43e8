#include "backends/profile/artefact_json.hpp"

#include <nlohmann/json.hpp>

#include <cmath>

namespace kevolve {

using nlohmann::json;

json artefact_json(const artefacts& have, artefact_kind kind) {
  const auto found = have.find(kind);
  return found == have.end() ? json(nullptr) : json::parse(found->second, nullptr, false);
}

double number_at(const json& object, const char* name) {
  const auto found = object.is_object() ? object.find(name) : object.end();
  if (!object.is_object() || found == object.end() || !found->is_number())
    return 0.0;
  const auto x = found->get<double>();
  return std::isfinite(x) ? x : 0.0;
}

std::string text_at(const json& object, const char* name) {
  const auto found = object.is_object() ? object.find(name) : object.end();
  return object.is_object() && found != object.end() && found->is_string() ? found->get<std::string>() : std::string{};
}

} // namespace kevolve
