// The typed JSON bodies of steering requests. They are checked against the route's fields, and every error is reported.
#include "runtime/node/admin/api.hpp"

#include <algorithm>
#include <cmath>
#include <string_view>

namespace kevolve {

namespace {

std::string number_text(double x) {
  return json(x == std::floor(x) && std::abs(x) < 1e15 ? json(static_cast<int64_t>(x)) : json(x)).dump();
}

bool all_objects(const json& x) {
  return std::all_of(x.begin(), x.end(), [](const json& item) { return item.is_object(); });
}

bool all_texts(const json& x) {
  return std::all_of(x.begin(), x.end(), [](const json& item) { return item.is_string(); });
}

// Returns why the value does not fit the field; empty if it fits.
std::string objection(const body_field& f, const json& x) {
  if (x.is_null() && f.nullable)
    return {};
  switch (f.type) {
    case body_type::text:
      if (!x.is_string())
        return "must be a text";
      if (const auto size = x.get_ref<const std::string&>().size(); f.high > 0 && static_cast<double>(size) > f.high)
        return "must be of at most " + number_text(f.high) + " bytes";
      if (!f.choices.empty()
          && std::find(f.choices.begin(), f.choices.end(), x.get_ref<const std::string&>()) == f.choices.end()) {
        std::string all;
        for (const auto& c : f.choices)
          all += (all.empty() ? "" : ", ") + c;
        return "must be one of: " + all;
      }
      return {};
    case body_type::integer:
    case body_type::number: {
      const auto whole = f.type == body_type::integer;
      if (whole ? !x.is_number_integer() : !x.is_number())
        return whole ? "must be a whole number" : "must be a number";
      const auto value = x.get<double>();
      if (value < f.low || (f.high > 0 && value > f.high))
        return "must be from " + number_text(f.low) + " to " + number_text(f.high);
      return {};
    }
    case body_type::texts:
      return x.is_array() && all_texts(x) ? "" : "must be a list of texts";
    case body_type::table:
      return x.is_object() && all_texts(x) ? "" : "must be an object of texts";
    case body_type::objects:
      return x.is_array() && all_objects(x) ? "" : "must be a list of objects";
  }
  return {};
}

json schema_of(const body_field& f) {
  json schema{{"description", f.summary}};
  auto type = [&](const char* name) { schema["type"] = f.nullable ? json::array({name, "null"}) : json(name); };
  switch (f.type) {
    case body_type::text:
      type("string");
      if (f.high > 0)
        schema["maxLength"] = static_cast<int64_t>(f.high);
      if (!f.choices.empty())
        schema["enum"] = f.choices;
      break;
    case body_type::integer:
    case body_type::number:
      type(f.type == body_type::integer ? "integer" : "number");
      schema["minimum"] = f.low;
      if (f.high > 0)
        schema["maximum"] = f.high;
      break;
    case body_type::texts:
      type("array");
      schema["items"] = {{"type", "string"}};
      break;
    case body_type::table:
      type("object");
      schema["additionalProperties"] = {{"type", "string"}};
      break;
    case body_type::objects:
      type("array");
      schema["items"] = {{"type", "object"}};
      break;
  }
  return schema;
}

} // namespace

json body_schema(const std::vector<body_field>& fields) {
  json properties = json::object();
  auto required = json::array();
  for (const auto& f : fields) {
    properties[f.name] = schema_of(f);
    if (f.required)
      required.push_back(f.name);
  }
  json schema{{"type", "object"}, {"properties", properties}, {"additionalProperties", false}};
  if (!required.empty())
    schema["required"] = required;
  return schema;
}

std::optional<problem> check_body(const std::vector<body_field>& fields, const json& body) {
  std::vector<problem_error> errors;
  for (const auto& [key, value] : body.items()) {
    auto known = std::find_if(fields.begin(), fields.end(), [&](const auto& f) { return f.name == key; });
    if (known == fields.end())
      errors.push_back({key, "there is no such key here"});
    else if (auto why = objection(*known, value); !why.empty())
      errors.push_back({key, why});
  }
  for (const auto& f : fields)
    if (f.required && !body.contains(f.name))
      errors.push_back({f.name, "is missing: " + f.summary});
  if (errors.empty())
    return std::nullopt;
  return invalid(std::move(errors));
}

problem invalid(std::vector<problem_error> errors) {
  // The answer is kept with its idempotency key: half a megabyte of unknown keys would cause 16 MB of errors.
  constexpr size_t most_errors = 100;
  if (errors.size() > most_errors) {
    const auto more = errors.size() - most_errors;
    errors.resize(most_errors);
    errors.push_back({"", "and " + std::to_string(more) + " more"});
  }
  std::string detail;
  for (const auto& e : errors)
    detail += (detail.empty() ? "" : "; ") + (e.key.empty() ? "" : e.key + " ") + e.detail;
  problem out{422, "invalid", std::move(detail)};
  out.errors = std::move(errors);
  return out;
}

} // namespace kevolve
