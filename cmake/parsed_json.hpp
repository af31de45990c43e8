// Instantiates what most files use of nlohmann's JSON, so that the headers which are parsed once hold it. Nobody calls
// this function, and no object file has it.
#pragma once

#include <nlohmann/json.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace kevolve::parsed_headers {

template <class Json>
bool compares(const Json& a, const Json& b, const std::string& text) {
  return a == b || a != b || a == nullptr || a == true || a == 1 || a == 1.0 || a == "text" || a == text || a == 1U;
}

template <class Json>
Json makes(const std::string& text) {
  Json out{{"text", text}, {"literal", "of four"}, {"int", 1}, {"list", {1, 2}}, {"flag", true}, {"double", 1.0}};
  out["int64"] = int64_t{1};
  out["uint64"] = uint64_t{1};
  out["uint32"] = uint32_t{1};
  out["size"] = text.size();
  out["texts"] = std::vector<std::string>{text};
  out[text] = Json::array();
  out.push_back(Json::object());
  out.push_back(text);
  for (auto& [key, value] : out.items())
    value = key;
  for (auto& value : out)
    value = nullptr;
  out.erase("text");
  return out;
}

template <class Json>
std::string reads(const Json& j, const std::string& text) {
  const auto sum = j.at("int").template get<int>() + j[0].template get<double>()
                   + static_cast<double>(j.at(text).template get<int64_t>())
                   + static_cast<double>(j["size"].template get<uint64_t>()) + j.value("double", 1.0);
  if (j.contains("flag") && j.at("flag").template get<bool>() && j.find("int") != j.end() && sum > 0.0)
    return j.at("texts").template get<std::vector<std::string>>().at(0);
  for (const auto& [key, value] : j.items())
    if (value.is_string())
      return key + value.template get<std::string>() + value.template get_ref<const std::string&>();
  for (const auto& value : j)
    if (value == text)
      return value.dump();
  return j.value("text", std::string{}) + j.dump(2, ' ', false, Json::error_handler_t::replace);
}

template <class Json>
std::string uses(const std::string& text) {
  const auto whole = Json::parse(text);
  const auto tried = Json::parse(text, nullptr, false);
  const auto moved = Json::parse(std::string{text});
  return compares(whole, moved, text) || tried.is_discarded() ? reads(makes<Json>(text), text) : reads(whole, text);
}

inline std::string all_uses(const std::string& text) {
  return uses<nlohmann::ordered_json>(text) + uses<nlohmann::json>(text);
}

} // namespace kevolve::parsed_headers
