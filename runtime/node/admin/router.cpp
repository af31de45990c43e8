#include "runtime/node/admin/router.hpp"

#include "runtime/base/url.hpp"

#include <algorithm>
#include <charconv>

namespace kevolve {

namespace {

std::vector<std::string_view> segments(std::string_view path) {
  std::vector<std::string_view> out;
  size_t from = 1; // every path starts with '/'
  while (from <= path.size()) {
    auto slash = path.find('/', from);
    out.push_back(path.substr(from, slash == std::string_view::npos ? slash : slash - from));
    if (slash == std::string_view::npos)
      break;
    from = slash + 1;
  }
  return out;
}

bool is_parameter(std::string_view segment) {
  return segment.size() > 2 && segment.front() == '{' && segment.back() == '}';
}

// Rates a match: nothing if the pattern does not fit, else one bit per literal segment, of which the first weighs most.
std::optional<uint64_t> fit(const std::vector<std::string>& wanted, const std::vector<std::string_view>& given) {
  if (wanted.size() != given.size())
    return std::nullopt;
  uint64_t score = 0;
  for (size_t i = 0; i < wanted.size(); ++i) {
    score <<= 1U;
    if (wanted[i] == given[i])
      score |= 1U;
    else if (!is_parameter(wanted[i]))
      return std::nullopt;
  }
  return score;
}

// Returns the values of a path that fits; nothing if one is empty or badly encoded.
std::optional<std::map<std::string, std::string>> values_of(const std::vector<std::string>& wanted,
                                                            const std::vector<std::string_view>& given) {
  std::map<std::string, std::string> out;
  for (size_t i = 0; i < wanted.size(); ++i) {
    if (!is_parameter(wanted[i]))
      continue;
    auto value = percent_decode(given[i], false);
    if (!value || value->empty())
      return std::nullopt;
    out[wanted[i].substr(1, wanted[i].size() - 2)] = std::move(*value);
  }
  return out;
}

std::optional<uint64_t> parse_number(const std::string& text) {
  uint64_t x = 0;
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), x);
  if (error != std::errc{} || end != text.data() + text.size() || text.empty())
    return std::nullopt;
  return x;
}

std::string names_of(const route& r) {
  std::string out;
  for (const auto& p : r.query)
    out += (out.empty() ? "" : ", ") + p.name;
  return out.empty() ? "none" : out;
}

std::optional<std::string> wrong_value(const query_parameter& p, const std::string& value) {
  if (p.integer) {
    auto x = parse_number(value);
    if (!x || *x < p.low || *x > p.high)
      return p.name + " must be a whole number from " + std::to_string(p.low) + " to " + std::to_string(p.high);
  }
  if (!p.choices.empty() && std::find(p.choices.begin(), p.choices.end(), value) == p.choices.end()) {
    std::string all;
    for (const auto& c : p.choices)
      all += (all.empty() ? "" : ", ") + c;
    return p.name + " must be one of: " + all;
  }
  return std::nullopt;
}

std::optional<problem> read_query(const route& r, std::string_view text, std::map<std::string, std::string>& out) {
  auto bad = [](std::string detail) { return problem{400, "bad-request", std::move(detail)}; };
  while (!text.empty()) {
    auto end = text.find('&');
    auto pair = text.substr(0, end);
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    if (pair.empty())
      continue;
    auto equals = pair.find('=');
    auto name = percent_decode(pair.substr(0, equals), true);
    auto value = equals == std::string_view::npos ? std::optional<std::string>{""}
                                                  : percent_decode(pair.substr(equals + 1), true);
    if (!name || !value)
      return bad("the query is not percent-encoded properly");
    auto known = std::find_if(r.query.begin(), r.query.end(), [&](const auto& p) { return p.name == *name; });
    if (known == r.query.end())
      return bad("unknown parameter '" + *name + "'; there are: " + names_of(r));
    if (auto wrong = wrong_value(*known, *value))
      return bad(*wrong);
    if (!out.emplace(*name, *value).second)
      return bad("parameter '" + *name + "' is given twice");
  }
  return std::nullopt;
}

} // namespace

router::router(std::vector<route> table) : table_(std::move(table)) {
  for (const auto& r : table_) {
    const auto parts = segments(r.pattern);
    patterns_.emplace_back(parts.begin(), parts.end());
  }
}

tl::expected<matched, mismatch> router::match(std::string_view method, std::string_view target) const {
  auto question = target.find('?');
  auto path = target.substr(0, question);
  auto query = question == std::string_view::npos ? std::string_view{} : target.substr(question + 1);
  if (path.empty() || path[0] != '/')
    return tl::unexpected(mismatch{{400, "bad-request", "the path must start with '/'"}, ""});
  std::optional<uint64_t> best;
  matched found;
  std::string allow;
  const auto given = segments(path);
  for (size_t i = 0; i < table_.size(); ++i) {
    const auto& r = table_[i];
    auto score = fit(patterns_[i], given);
    auto values = score ? values_of(patterns_[i], given) : std::nullopt;
    if (!values)
      continue;
    if (!best || *score > *best) {
      best = score;
      found = {};
      allow.clear();
    }
    if (*score < *best)
      continue;
    allow += (allow.empty() ? "" : ", ") + r.method;
    if (r.method == method) {
      found.to = &r;
      found.path = std::move(*values);
    }
  }
  if (!best)
    return tl::unexpected(mismatch{{404, "no-such-path", "nothing answers to this path; see /v1/openapi.json"}, ""});
  if (found.to == nullptr)
    return tl::unexpected(mismatch{{405, "method-not-allowed", "this path takes " + allow}, allow});
  if (auto wrong = read_query(*found.to, query, found.query))
    return tl::unexpected(mismatch{*wrong, ""});
  return found;
}

bool router::is_open(std::string_view target) const {
  auto path = target.substr(0, target.find('?'));
  return std::any_of(table_.begin(), table_.end(), [&](const route& r) { return r.open && r.pattern == path; });
}

body_field text_field(std::string name, std::string summary, double most_bytes, bool required,
                      std::vector<std::string> choices) {
  body_field f;
  f.name = std::move(name);
  f.summary = std::move(summary);
  f.high = most_bytes;
  f.required = required;
  f.choices = std::move(choices);
  return f;
}

body_field number_field(std::string name, std::string summary, body_type type, double low, double high, bool required) {
  auto f = text_field(std::move(name), std::move(summary), high, required);
  f.type = type;
  f.low = low;
  return f;
}

} // namespace kevolve
