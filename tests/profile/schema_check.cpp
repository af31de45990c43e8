#include "schema_check.hpp"

#include <algorithm>

namespace kevolve::test {

namespace {

using nlohmann::json;

bool has_type(const json& x, const std::string& type) {
  return type == "object"    ? x.is_object()
         : type == "array"   ? x.is_array()
         : type == "string"  ? x.is_string()
         : type == "number"  ? x.is_number()
         : type == "integer" ? x.is_number_integer()
         : type == "null"    ? x.is_null()
                             : false;
}

std::string misfit_of_members(const json& root, const json& schema, const json& x, const std::string& at) {
  for (const auto& name : schema.value("required", json::array()))
    if (!x.contains(name.get<std::string>()))
      return at + ": no member " + name.get<std::string>();
  const auto known = schema.value("properties", json::object());
  for (const auto& [name, value] : x.items()) {
    const auto place = at + "." + name;
    if (const auto p = known.find(name); p != known.end()) {
      if (auto why = misfit(root, *p, value, place); !why.empty())
        return why;
    } else if (const auto more = schema.find("additionalProperties"); more != schema.end()) {
      if (more->is_boolean())
        return more->get<bool>() ? std::string{} : place + ": no such member in the schema";
      if (auto why = misfit(root, *more, value, place); !why.empty())
        return why;
    }
  }
  return {};
}

} // namespace

std::string misfit(const json& root, const json& schema, const json& x, const std::string& at) {
  for (const auto& [word, rule] : schema.items()) {
    if (word == "$ref") {
      const auto to = rule.get<std::string>();
      if (auto why = misfit(root, root.at(json::json_pointer{to.substr(1)}), x, at); !why.empty())
        return why;
    } else if (word == "type") {
      const auto types = rule.is_array() ? rule : json::array({rule});
      if (std::none_of(types.begin(), types.end(), [&](const json& t) { return has_type(x, t.get<std::string>()); }))
        return at + ": not of type " + rule.dump();
    } else if (word == "const") {
      if (x != rule)
        return at + ": not " + rule.dump();
    } else if (word == "enum") {
      if (std::find(rule.begin(), rule.end(), x) == rule.end())
        return at + ": " + x.dump() + " is none of the choices";
    } else if (word == "minimum" || word == "maximum") {
      if (x.is_number() && (word == "minimum" ? x < rule : x > rule))
        return at + ": " + x.dump() + " is beyond the " + word;
    } else if (word == "maxItems") {
      if (x.is_array() && x.size() > rule.get<size_t>())
        return at + ": too many items";
    } else if (word == "items" && x.is_array()) {
      for (size_t i = 0; i < x.size(); ++i)
        if (auto why = misfit(root, rule, x[i], at + "[" + std::to_string(i) + "]"); !why.empty())
          return why;
    } else if (word == "properties" && x.is_object()) {
      if (auto why = misfit_of_members(root, schema, x, at); !why.empty())
        return why;
    } else if (word == "additionalProperties" && x.is_object() && !schema.contains("properties")) {
      if (auto why = misfit_of_members(root, schema, x, at); !why.empty())
        return why;
    } else if (word != "items" && word != "properties" && word != "additionalProperties" && word != "required"
               && word != "description" && word != "title" && word != "$schema" && word != "$defs")
      return "the schema's word '" + word + "' is not understood";
  }
  return {};
}

} // namespace kevolve::test
