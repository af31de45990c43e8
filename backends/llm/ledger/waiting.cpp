#include "backends/llm/ledger/waiting.hpp"

#include "runtime/base/random.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

namespace kevolve::llm {

namespace {

constexpr double longest_s = 400.0 * 24 * 3600; // a longer duration is a mistake

bool same_name(std::string_view a, std::string_view b) {
  const auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; };
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [&](char x, char y) { return lower(x) == lower(y); });
}

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t'))
    text.remove_prefix(1);
  while (!text.empty() && (text.back() == ' ' || text.back() == '\t'))
    text.remove_suffix(1);
  return text;
}

// Removes a decimal number from the beginning of the text and returns it.
std::optional<double> take_number(std::string_view& text) {
  double value = 0;
  const auto read = std::from_chars(text.data(), text.data() + text.size(), value, std::chars_format::fixed);
  if (read.ec != std::errc{} || !std::isfinite(value))
    return std::nullopt;
  text.remove_prefix(static_cast<size_t>(read.ptr - text.data()));
  return value;
}

std::optional<milliseconds> from_seconds(double seconds) {
  if (!(std::abs(seconds) <= longest_s))
    return std::nullopt;
  constexpr double per_second = 1000.0;
  return milliseconds{static_cast<int64_t>(std::ceil(seconds * per_second))};
}

// Removes a unit from the beginning of the text and returns its seconds.
std::optional<double> take_unit(std::string_view& text) {
  constexpr std::array<std::pair<std::string_view, double>, 8> units{
      {{"ms", 1e-3}, {"us", 1e-6}, {"µs", 1e-6}, {"ns", 1e-9}, {"d", 86400}, {"h", 3600}, {"m", 60}, {"s", 1}}};
  for (const auto& [name, seconds] : units)
    if (text.substr(0, name.size()) == name) {
      text.remove_prefix(name.size());
      return seconds;
    }
  return std::nullopt;
}

// Returns the number if `text` consists of digits only; else null.
std::optional<int> digits(std::string_view text) {
  int value = 0;
  const auto read = std::from_chars(text.data(), text.data() + text.size(), value);
  if (text.empty() || read.ec != std::errc{} || read.ptr != text.data() + text.size() || value < 0)
    return std::nullopt;
  return value;
}

struct clock_time {
  std::optional<int> year, month, day, hour, minute, second;
  milliseconds fraction{0};
};

std::optional<instant> to_instant(const clock_time& c) {
  if (!c.year || !c.month || !c.day || !c.hour || !c.minute || !c.second)
    return std::nullopt;
  using namespace std::chrono;
  const year_month_day date{year{*c.year}, month{static_cast<unsigned>(*c.month)}, day{static_cast<unsigned>(*c.day)}};
  if (!date.ok() || *c.hour > 23 || *c.minute > 59 || *c.second > 60)
    return std::nullopt;
  return instant{sys_days{date}} + hours{*c.hour} + minutes{*c.minute} + seconds{*c.second} + c.fraction;
}

std::optional<int> month_number(std::string_view name) {
  constexpr std::array<std::string_view, 12> names{"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                                   "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
  const auto found = std::find(names.begin(), names.end(), name);
  if (found == names.end())
    return std::nullopt;
  return static_cast<int>(found - names.begin()) + 1;
}

void read_time(std::string_view text, clock_time& c) { // format hh:mm:ss
  if (text.size() < 8 || text[2] != ':' || text[5] != ':')
    return;
  c.hour = digits(text.substr(0, 2));
  c.minute = digits(text.substr(3, 2));
  c.second = digits(text.substr(6, 2));
}

std::vector<std::string_view> words(std::string_view text, std::string_view separators) {
  std::vector<std::string_view> out;
  while (!text.empty()) {
    const auto end = std::min(text.find_first_of(separators), text.size());
    if (end > 0)
      out.push_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return out;
}

std::optional<instant> parse_http_date(std::string_view text) {
  const auto parts = words(text, " ,-");
  clock_time c;
  if (parts.size() == 5) { // for example: Sun Nov  6 08:49:37 1994
    c.month = month_number(parts[1]);
    c.day = digits(parts[2]);
    read_time(parts[3], c);
    c.year = digits(parts[4]);
    // For example: Sun, 06 Nov 1994 08:49:37 GMT; Sunday, 06-Nov-94 08:49:37 GMT.
  } else if (parts.size() == 6 && parts[5] == "GMT") {
    c.day = digits(parts[1]);
    c.month = month_number(parts[2]);
    c.year = digits(parts[3]);
    if (c.year && parts[3].size() == 2)
      c.year = *c.year + (*c.year < 70 ? 2000 : 1900);
    read_time(parts[4], c);
  }
  return to_instant(c);
}

std::optional<instant> parse_rfc3339(std::string_view text) {
  if (text.size() < 20 || text[4] != '-' || text[7] != '-' || (text[10] != 'T' && text[10] != 't' && text[10] != ' '))
    return std::nullopt;
  clock_time c;
  c.year = digits(text.substr(0, 4));
  c.month = digits(text.substr(5, 2));
  c.day = digits(text.substr(8, 2));
  read_time(text.substr(11, 8), c);
  text.remove_prefix(19);
  if (text.front() == '.') {
    auto value = take_number(text);
    if (!value)
      return std::nullopt;
    c.fraction = milliseconds{static_cast<int64_t>(*value * 1000.0)};
  }
  const auto base = to_instant(c);
  if (!base || text == "Z" || text == "z")
    return base;
  if (text.size() != 6 || text[3] != ':' || (text[0] != '+' && text[0] != '-'))
    return std::nullopt;
  const auto hour = digits(text.substr(1, 2));
  const auto minute = digits(text.substr(4, 2));
  if (!hour || !minute)
    return std::nullopt;
  const auto offset = std::chrono::hours{*hour} + std::chrono::minutes{*minute};
  return text[0] == '+' ? *base - offset : *base + offset;
}

std::optional<milliseconds> hint_in(std::string_view body, std::string_view before) {
  const auto at = body.find(before);
  if (at == std::string_view::npos)
    return std::nullopt;
  auto rest = body.substr(at + before.size());
  const auto first = rest.find_first_of("0123456789");
  if (first == std::string_view::npos || first > 4) // skips a colon, spaces and a quote
    return std::nullopt;
  rest.remove_prefix(first);
  auto text = rest.substr(0, rest.find_first_not_of("0123456789.hms"));
  while (!text.empty() && text.back() == '.')
    text.remove_suffix(1); // the full stop of the sentence
  return text.find_first_of("hms") == std::string_view::npos ? std::nullopt : parse_duration(text);
}

} // namespace

const std::string* find_header(const header_list& headers, std::string_view name) {
  for (const auto& [key, value] : headers)
    if (same_name(key, name))
      return &value;
  return nullptr;
}

std::optional<milliseconds> parse_duration(std::string_view text) {
  text = trimmed(text);
  const bool negative = !text.empty() && text.front() == '-';
  if (negative)
    text.remove_prefix(1);
  if (text.empty() || text.front() == '-')
    return std::nullopt;
  double seconds = 0;
  for (bool first = true; !text.empty(); first = false) {
    const auto value = take_number(text);
    if (!value)
      return std::nullopt;
    if (first && text.empty()) {
      seconds = *value;
      break;
    }
    const auto unit = take_unit(text);
    if (!unit)
      return std::nullopt;
    seconds += *value * *unit;
  }
  return from_seconds(negative ? -seconds : seconds);
}

std::optional<instant> parse_date(std::string_view text) {
  text = trimmed(text);
  const auto http = parse_http_date(text);
  return http ? http : parse_rfc3339(text);
}

std::optional<milliseconds> requested_wait(const header_list& headers, std::string_view body, instant now) {
  static constexpr milliseconds longest{24 * 3600 * 1000}; // after this, the server is asked again
  const auto ahead = [](std::optional<milliseconds> wait) {
    return wait && wait->count() > 0 ? std::min(*wait, longest) : std::optional<milliseconds>{};
  };
  if (const auto* ms = find_header(headers, "retry-after-ms")) {
    auto text = trimmed(*ms);
    if (auto value = take_number(text); value && text.empty())
      if (auto wait = ahead(from_seconds(*value / 1000.0)))
        return wait;
  }
  if (const auto* after = find_header(headers, "retry-after")) {
    if (auto wait = parse_duration(*after))
      return ahead(wait);
    if (auto date = parse_date(*after)) {
      const auto* theirs = find_header(headers, "date");
      const auto their_now = theirs != nullptr ? parse_date(*theirs) : std::nullopt;
      return ahead(*date - their_now.value_or(now));
    }
  }
  for (std::string_view before : {"try again in", "Try again in", "\"retryDelay\""})
    if (auto wait = ahead(hint_in(body, before)))
      return wait;
  return std::nullopt;
}

milliseconds backoff(uint32_t attempt, uint64_t seed, const backoff_rules& rules) {
  constexpr uint32_t most_doublings = 30;
  const auto grown = static_cast<double>(rules.first.count()) * std::exp2(std::min(attempt, most_doublings));
  const auto bound = std::min(grown, static_cast<double>(rules.most.count()));
  const auto share = unit_interval(splitmix64_of(seed ^ splitmix64_of(attempt)));
  return milliseconds{static_cast<int64_t>(share * bound)};
}

} // namespace kevolve::llm
