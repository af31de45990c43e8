#include "actors/knowledge/skill_json.hpp"

#include "runtime/base/codec.hpp"

#include <nlohmann/json.hpp>

#include <type_traits>
#include <utility>

namespace kevolve {

namespace {

using json = nlohmann::ordered_json;

// The keys of each part stand once, for both directions: a visitor writes or reads them.
template <class V>
void visit(V& v, skill_conditions& x) {
  v("target", x.target);
  v("language", x.language);
  v("families", x.families);
  v("dtypes", x.dtypes);
  v("hardware", x.hardware);
  v("bound", x.bound);
  v("pattern", x.pattern);
}
template <class V>
void visit(V& v, skill_step& x) {
  v("moves", x.moves);
  v("words", x.words);
  v("before", x.before);
  v("after", x.after);
}
template <class V>
void visit(V& v, skill_application& x) {
  v("log_gain", x.log_gain);
  v("standard_error", x.standard_error);
  v("time_ns", x.time_ns);
  v("hardware", x.hardware);
  v("campaign", x.campaign);
  v("parent", x.parent);
  v("candidate", x.candidate);
  v("task", x.task);
  v("signals", x.signals);
  v("verdict", x.verdict);
  v("is_origin", x.is_origin);
}
template <class V>
void visit(V& v, skill_provenance& x) {
  v("campaign", x.campaign);
  v("campaign_name", x.campaign_name);
  v("task", x.task);
  v("parent", x.parent);
  v("candidate", x.candidate);
  v("by", x.by);
}
template <class V>
void visit(V& v, skill_change& x) {
  v("version", x.version);
  v("time_ns", x.time_ns);
  v("state", x.state);
  v("reason", x.reason);
  v("by", x.by);
}
template <class V>
void visit(V& v, skill& x) {
  v("id", x.id);
  v("version", x.version);
  v("features", x.features);
  v("state", x.state);
  v("reason", x.reason);
  v("conditions", x.conditions);
  v("step", x.step);
  v("not_for", x.not_for);
  v("provenance", x.provenance);
  v("applications", x.applications);
  v("history", x.history);
}

class writer {
public:
  json out = json::object();

  template <class T>
  void operator()(const char* key, T& x) {
    out[key] = value(x);
  }

private:
  template <class T>
  static json value(T& x) {
    if constexpr (std::is_same_v<T, id128> || std::is_same_v<T, skill_state>)
      return to_string(x);
    else if constexpr (std::is_arithmetic_v<T> || std::is_same_v<T, std::string>)
      return x;
    else {
      writer inner;
      visit(inner, x);
      return std::move(inner.out);
    }
  }
  template <class T>
  static json value(std::vector<T>& xs) {
    auto out = json::array();
    for (auto& x : xs)
      out.push_back(value(x));
    return out;
  }
};

// Reads what is there; a missing key leaves the default. Notes the first key whose value does not fit.
class reader {
public:
  reader(const json& from, std::string where) : from_(from), where_(std::move(where)) {}
  std::string wrong;

  template <class T>
  void operator()(const char* key, T& x) {
    if (!wrong.empty())
      return;
    if (!from_.is_object()) {
      wrong = where_ + ": no object";
      return;
    }
    if (const auto found = from_.find(key); found != from_.end())
      read(where_ + "." + key, *found, x);
  }

private:
  void expect(bool fits, const std::string& where, const char* what) {
    if (!fits && wrong.empty())
      wrong = where + ": expected " + what;
  }

  template <class T>
  void read(const std::string& where, const json& value, T& x) {
    if constexpr (std::is_same_v<T, id128>) {
      x = value.is_string() ? parse_id(value.get<std::string>()) : id128{};
      expect(value.is_string(), where, "32 hexadecimal digits");
    } else if constexpr (std::is_same_v<T, skill_state>) {
      const auto known = parse_enum<skill_state>(value.is_string() ? value.get<std::string>() : std::string{});
      expect(known.has_value(), where, "one of hypothesis, confirmed, conflicting, rejected, revoked");
      x = known.value_or(skill_state::hypothesis);
    } else if constexpr (std::is_same_v<T, std::string>) {
      expect(value.is_string(), where, "a text");
      x = value.is_string() ? value.get<std::string>() : std::string{};
    } else if constexpr (std::is_same_v<T, bool>) {
      expect(value.is_boolean(), where, "true or false");
      x = value.is_boolean() && value.get<bool>();
    } else if constexpr (std::is_floating_point_v<T>) {
      expect(value.is_number(), where, "a number");
      x = value.is_number() ? value.get<T>() : T{};
    } else if constexpr (std::is_unsigned_v<T>) {
      expect(value.is_number_unsigned(), where, "a whole number from 0 up");
      x = value.is_number_unsigned() ? value.get<T>() : T{};
    } else if constexpr (std::is_integral_v<T>) {
      expect(value.is_number_integer(), where, "a whole number");
      x = value.is_number_integer() ? value.get<T>() : T{};
    } else {
      reader inner{value, where};
      visit(inner, x);
      if (wrong.empty())
        wrong = inner.wrong;
    }
  }
  template <class T>
  void read(const std::string& where, const json& value, std::vector<T>& xs) {
    expect(value.is_array(), where, "a list");
    for (size_t i = 0; value.is_array() && i < value.size(); ++i)
      read(where + "[" + std::to_string(i) + "]", value[i], xs.emplace_back());
  }

  const json& from_;
  std::string where_;
};

template <class T>
json written(T x) {
  writer w;
  visit(w, x);
  return std::move(w.out);
}

} // namespace

id128 skill_id(const skill& s) {
  return derive_id("skill", encode(s.features) + encode(s.conditions) + encode(s.step));
}

nlohmann::ordered_json to_json(const skill& s) {
  return written(s);
}

nlohmann::ordered_json to_json(const weighed_skill& s) {
  auto out = to_json(s.what);
  out["weight"] = s.weight;
  out["gain"] = s.gain;
  out["deviation"] = s.deviation;
  return out;
}

std::string skills_text(const std::vector<skill>& skills) {
  json out{{"format", 1}, {"skills", json::array()}};
  for (const auto& s : skills)
    out["skills"].push_back(to_json(s));
  return out.dump(2, ' ', false, json::error_handler_t::replace) + "\n";
}

result<std::vector<skill>> parse_skills(std::string_view text) {
  const auto all = json::parse(text, nullptr, false);
  const auto where = all.is_object() ? all.find("skills") : all.end();
  if (!all.is_object() || where == all.end() || !where->is_array())
    return fail(errc::bad_input, "no JSON object with a list `skills`: write one with kevolve skills export");
  if (const auto format = all.find("format");
      format == all.end() || !format->is_number_integer() || format->get<int64_t>() != 1)
    return fail(errc::bad_input, "`format` is not 1: the file is of another kevolve");
  std::vector<skill> out;
  for (size_t i = 0; i < where->size(); ++i) {
    reader r{(*where)[i], "skills[" + std::to_string(i) + "]"};
    skill s;
    visit(r, s);
    if (!r.wrong.empty())
      return fail(errc::bad_input, std::move(r.wrong));
    s.id = skill_id(s);
    out.push_back(std::move(s));
  }
  return out;
}

} // namespace kevolve
