#include "backends/profile/finding.hpp"

#include <nlohmann/json.hpp>

#include <cmath>

namespace kevolve {

namespace {

using nlohmann::json;

// Reads a share; nothing if it is no number from 0 to 1.
bool read_share(const json& in, const char* name, double& out) {
  const auto found = in.find(name);
  if (found == in.end() || !found->is_number())
    return false;
  out = found->get<double>();
  return std::isfinite(out) && out >= 0.0 && out <= 1.0;
}

failure wrong(const char* member) {
  return {errc::bad_input, std::string{"a finding's member '"} + member + "' is missing or wrong"};
}

} // namespace

json to_json(const finding& f) {
  auto lines = json::array();
  for (const auto& l : f.lines)
    lines.push_back({{"first", l.first}, {"last", l.last}});
  return {{"bound", to_string(f.bound)},
          {"share", f.share},
          {"confidence", f.confidence},
          {"headroom", f.headroom > 0.0 ? json(f.headroom) : json(nullptr)},
          {"pass", f.pass},
          {"words", f.words},
          {"evidence", f.evidence},
          {"lines", lines}};
}

result<finding> finding_of_json(const json& in) {
  finding f;
  if (!in.is_object())
    return fail(errc::bad_input, "a finding is an object");
  const auto text = [&](const char* name) {
    const auto found = in.find(name);
    return found != in.end() && found->is_string() ? found->get<std::string>() : std::string{};
  };
  const auto bound = parse_enum<bound_class>(text("bound"));
  if (!bound)
    return tl::unexpected(wrong("bound"));
  f.bound = *bound;
  if (!read_share(in, "share", f.share))
    return tl::unexpected(wrong("share"));
  if (!read_share(in, "confidence", f.confidence))
    return tl::unexpected(wrong("confidence"));
  if (const auto h = in.find("headroom"); h != in.end() && h->is_number())
    f.headroom = h->get<double>();
  f.pass = text("pass");
  f.words = text("words");
  if (const auto e = in.find("evidence"); e != in.end() && e->is_object())
    for (const auto& [name, value] : e->items()) {
      if (!value.is_number())
        return tl::unexpected(wrong("evidence"));
      f.evidence[name] = value.get<double>();
    }
  if (const auto lines = in.find("lines"); lines != in.end() && lines->is_array())
    for (const auto& l : *lines) {
      if (!l.is_object() || !l.contains("first") || !l["first"].is_number_unsigned() || !l.contains("last")
          || !l["last"].is_number_unsigned())
        return tl::unexpected(wrong("lines"));
      f.lines.push_back({l["first"].get<uint32_t>(), l["last"].get<uint32_t>()});
    }
  return f;
}

} // namespace kevolve
