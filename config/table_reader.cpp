#include "config/settings.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

namespace kevolve {

namespace {

using kind = document_value::kind;

std::string print(double x) {
  std::array<char, 32> buffer{};
  auto end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), x).ptr;
  return {buffer.data(), end};
}

// Returns why the number is out of bounds; empty if it is not.
std::string out_of_bounds(double x, const setting_rule& rule) {
  if (std::isnan(x))
    return "must be a number";
  if (rule.low_open ? x <= rule.low : x < rule.low)
    return std::string{"must be "} + (rule.low_open ? "greater than " : "at least ") + print(rule.low) + ", not "
           + print(x);
  if (x > rule.high)
    return "must be at most " + print(rule.high) + ", not " + print(x);
  return "";
}

} // namespace

double parse_duration(std::string_view text) {
  auto total = 0.0;
  auto last_unit = 1e300;
  if (text.empty())
    return -1.0;
  while (!text.empty()) {
    auto amount = 0.0;
    auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), amount, std::chars_format::fixed);
    if (problem != std::errc{} || amount < 0.0)
      return -1.0;
    text.remove_prefix(static_cast<size_t>(end - text.data()));
    auto letters = std::min(text.find_first_of("0123456789"), text.size());
    auto unit_name = text.substr(0, letters);
    text.remove_prefix(letters);
    auto unit = unit_name == "ms"  ? 1e-3
                : unit_name == "s" ? 1.0
                : unit_name == "m" ? 60.0
                : unit_name == "h" ? 3600.0
                : unit_name == "d" ? 86400.0
                                   : 0.0;
    // Units must decrease: "1h30m", never "30m1h" or "5m5m".
    if (unit <= 0.0 || unit >= last_unit)
      return -1.0;
    last_unit = unit;
    total += amount * unit;
  }
  return std::isfinite(total) ? total : -1.0;
}

table_reader::~table_reader() {
  const auto is_in = [](const std::vector<std::string>& names, const std::string& name) {
    return std::find(names.begin(), names.end(), name) != names.end();
  };
  for (const auto& m : table_.members)
    if (!is_in(declared_, m.key) && !is_in(retired_, m.key))
      errors_.add_at(m.at, m.value.origin, path(m.key), "unknown key" + suggestion(m.key, declared_));
}

bool table_reader::is_overridden(std::string_view name) const {
  const auto* v = table_.find(name);
  return v && (!v->origin.empty() || std::any_of(v->members.begin(), v->members.end(), [](const document_member& m) {
           return !m.value.origin.empty();
         }));
}

std::string table_reader::path(std::string_view name) const {
  return path_.empty() ? std::string{name} : path_ + "." + std::string{name};
}

std::string table_reader::refusal(const std::string& what, const std::string& name, const setting_rule& rule) {
  return rule.reserved && is_reserved(*rule.reserved, name) ? not_there_yet(*rule.reserved, name, rule.choices)
                                                            : what + suggestion(name, rule.choices);
}

void table_reader::error(std::string_view name, std::string message) {
  errors_.add(name.empty() ? path_ : path(name), std::move(message));
}

void table_reader::retired(std::string_view name, const std::string& advice) {
  retired_.emplace_back(name);
  for (const auto& m : table_.members)
    if (m.key == name)
      errors_.add_at(m.at, m.value.origin, path(name), "is no setting any more: " + advice);
}

const document_value* table_reader::take(std::string_view name, const setting_rule& rule) {
  declared_.emplace_back(name);
  const auto* found = table_.find(name);
  if (!found && rule.required)
    errors_.add(path(name), "missing: " + rule.text);
  return found;
}

bool table_reader::refuse(const std::string& where, const std::string& expected, const document_value& found) {
  errors_.add(where, "expected " + expected + ", found " + describe(found.what));
  return false;
}

bool table_reader::number(const document_value& v, const std::string& where, const setting_rule& rule, double& x) {
  if (v.what != kind::real && v.what != kind::integer)
    return refuse(where, "a number", v);
  auto given = v.what == kind::real ? v.real : static_cast<double>(v.integer);
  if (std::isinf(given)) {
    errors_.add(where, "must be finite");
    return false;
  }
  if (auto problem = out_of_bounds(given, rule); !problem.empty()) {
    errors_.add(where, problem);
    return false;
  }
  x = given;
  return true;
}

bool table_reader::integer(const document_value& v, const std::string& where, const setting_rule& rule, int64_t& x) {
  if (v.what != kind::integer)
    return refuse(where, "an integer", v);
  if (auto problem = out_of_bounds(static_cast<double>(v.integer), rule); !problem.empty()) {
    errors_.add(where, problem);
    return false;
  }
  x = v.integer;
  return true;
}

bool table_reader::value(std::string_view name, const setting_rule& rule, std::string& x) {
  const auto* v = take(name, rule);
  if (!v)
    return false;
  if (v->what != kind::text)
    return refuse(path(name), "text", *v);
  if (rule.required && v->text.empty()) {
    errors_.add(path(name), "must not be empty: " + rule.text);
    return false;
  }
  const auto is_control = [](char c) { return (c >= 0 && c < ' ' && c != '\n' && c != '\t') || c == '\x7f'; };
  // U+0080 to U+009F are also controls, of eight bits, for terminals that know them.
  const auto is_wide_control = [&](size_t i) {
    const auto byte = [&](size_t k) { return static_cast<unsigned char>(v->text[k]); };
    return i + 1 < v->text.size() && byte(i) == 0xc2 && byte(i + 1) < 0xa0;
  };
  bool wide = false;
  for (size_t i = 0; i < v->text.size(); ++i)
    wide = wide || is_wide_control(i);
  if (wide || std::any_of(v->text.begin(), v->text.end(), is_control)) {
    errors_.add(path(name), "holds a control character");
    return false;
  }
  if (!rule.choices.empty() && std::find(rule.choices.begin(), rule.choices.end(), v->text) == rule.choices.end()) {
    errors_.add(path(name), refusal("unknown value '" + v->text + "'", v->text, rule));
    return false;
  }
  x = v->text;
  return true;
}

bool table_reader::value(std::string_view name, const setting_rule& rule, int64_t& x) {
  const auto* v = take(name, rule);
  return v && integer(*v, path(name), rule, x);
}

bool table_reader::value(std::string_view name, const setting_rule& rule, double& x) {
  const auto* v = take(name, rule);
  return v && number(*v, path(name), rule, x);
}

bool table_reader::value(std::string_view name, const setting_rule& rule, bool& x) {
  const auto* v = take(name, rule);
  if (!v)
    return false;
  if (v->what != kind::boolean)
    return refuse(path(name), "true or false", *v);
  x = v->boolean;
  return true;
}

template <class T, class Read>
bool table_reader::list(std::string_view name, const setting_rule& rule, const std::string& what, std::vector<T>& xs,
                        Read read) {
  const auto* v = take(name, rule);
  if (!v)
    return false;
  if (v->what != kind::array)
    return refuse(path(name), "an array of " + what, *v);
  std::vector<T> out;
  for (size_t i = 0; i < v->items.size(); ++i) {
    T x{};
    if (!read(v->items[i], path(name) + "[" + std::to_string(i) + "]", x))
      continue;
    out.push_back(std::move(x));
  }
  if (out.size() != v->items.size())
    return false;
  xs = std::move(out);
  return true;
}

bool table_reader::value(std::string_view name, const setting_rule& rule, std::vector<std::string>& xs) {
  return list(name, rule, "texts", xs, [&](const document_value& v, const std::string& where, std::string& x) {
    if (rule.expressions && v.what == kind::integer) {
      x = std::to_string(v.integer);
      return true;
    }
    if (v.what != kind::text)
      return refuse(where, "text", v);
    if (!rule.choices.empty() && std::find(rule.choices.begin(), rule.choices.end(), v.text) == rule.choices.end()) {
      errors_.add(where, "unknown value '" + v.text + "'" + suggestion(v.text, rule.choices));
      return false;
    }
    x = v.text;
    return true;
  });
}

bool table_reader::value(std::string_view name, const setting_rule& rule, std::vector<int64_t>& xs) {
  return list(name, rule, "integers", xs, [&](const document_value& v, const std::string& where, int64_t& x) {
    return integer(v, where, rule, x);
  });
}

bool table_reader::value(std::string_view name, const setting_rule& rule, std::vector<double>& xs) {
  return list(name, rule, "numbers", xs,
              [&](const document_value& v, const std::string& where, double& x) { return number(v, where, rule, x); });
}

bool table_reader::value(std::string_view name, const setting_rule& rule, std::map<std::string, double>& xs) {
  const auto* v = take(name, rule);
  if (!v)
    return false;
  if (v->what != kind::table)
    return refuse(path(name), "a table of names with weights", *v);
  std::map<std::string, double> out;
  auto before = errors_.size();
  auto sum = 0.0;
  for (const auto& m : v->members) {
    auto where = path(name) + "." + m.key;
    if (!rule.choices.empty() && std::find(rule.choices.begin(), rule.choices.end(), m.key) == rule.choices.end())
      errors_.add_at(m.at, m.value.origin, where, refusal("unknown name", m.key, rule));
    setting_rule weight;
    weight.low = 0.0;
    weight.high = 1e9;
    if (number(m.value, where, weight, out[m.key]))
      sum += out[m.key];
  }
  if (errors_.size() != before)
    return false;
  if (sum <= 0.0) {
    errors_.add(path(name), "at least one weight must be greater than 0");
    return false;
  }
  xs = std::move(out);
  return true;
}

bool table_reader::duration(std::string_view name, const setting_rule& rule, double& seconds) {
  const auto* v = take(name, rule);
  if (!v)
    return false;
  if (v->what != kind::text)
    return v->what == kind::integer || v->what == kind::real
               ? seconds_of(*v, path(name), rule, seconds)
               : refuse(path(name), "a duration such as \"90s\" or \"1h30m\", or a number of seconds", *v);
  auto given = parse_duration(v->text);
  if (given < 0.0) {
    errors_.add(path(name),
                "'" + v->text + "' is no duration; write \"90s\", \"2m\" or \"1h30m\", or a number of seconds");
    return false;
  }
  document_value number_value;
  number_value.what = kind::real;
  number_value.real = given;
  return seconds_of(number_value, path(name), rule, seconds);
}

bool table_reader::seconds_of(const document_value& v, const std::string& where, const setting_rule& rule,
                              double& seconds) {
  constexpr double longest = 1e9; // thirty years; a longer time is a mistake, or does not fit into nanoseconds
  double given = 0.0;
  if (!number(v, where, rule, given))
    return false;
  if (given > longest) {
    errors_.add(where, "is longer than thirty years");
    return false;
  }
  seconds = given;
  return true;
}

bool table_reader::table(std::string_view name, const setting_rule& rule, const body& declare) {
  const auto* v = take(name, rule);
  if (!v)
    return false;
  if (v->what != kind::table)
    return refuse(path(name), "a table [" + path(name) + "]", *v);
  table_reader inner{*v, path(name), errors_};
  declare(inner);
  return true;
}

bool table_reader::tables(std::string_view name, const setting_rule& rule, const body& declare, bool single_too) {
  const auto* v = take(name, rule);
  if (!v)
    return false;
  if (single_too && v->what == kind::table) {
    table_reader inner{*v, path(name), errors_};
    declare(inner);
    return true;
  }
  auto expected = "an array of tables [[" + path(name) + "]]";
  if (v->what != kind::array)
    return refuse(path(name), expected, *v);
  for (size_t i = 0; i < v->items.size(); ++i) {
    auto where = path(name) + "[" + std::to_string(i) + "]";
    if (v->items[i].what != kind::table) {
      refuse(where, "a table", v->items[i]);
      continue;
    }
    table_reader inner{v->items[i], where, errors_};
    declare(inner);
  }
  return !v->items.empty();
}

void table_reader::others(std::string_view, const setting_rule&, const visitor& visit) {
  auto known = declared_;
  for (const auto& m : table_.members) {
    if (std::find(known.begin(), known.end(), m.key) != known.end())
      continue;
    declared_.push_back(m.key);
    visit(m);
  }
}

} // namespace kevolve
