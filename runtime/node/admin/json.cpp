#include "runtime/node/admin/json.hpp"

#include <algorithm>
#include <ctime>
#include <initializer_list>
#include <utility>

namespace kevolve {

std::string to_text(const json& x) {
  return x.dump(-1, ' ', false, json::error_handler_t::replace);
}

std::string to_pretty_text(const json& x) {
  return x.dump(2, ' ', false, json::error_handler_t::replace);
}

namespace {

// Appends the last `width` digits.
void append_digits(std::string& out, int64_t x, size_t width) {
  out.append(width, '0');
  for (auto at = out.end(); width > 0; --width, x /= 10)
    *--at = static_cast<char>('0' + x % 10);
}

void append_time(std::string& out, int64_t since_epoch_ns) {
  const auto seconds = static_cast<std::time_t>(since_epoch_ns / 1'000'000'000);
  std::tm parts{};
  ::gmtime_r(&seconds, &parts);
  append_digits(out, parts.tm_year + 1900, 4);
  for (const auto& [before, x] : {std::pair{'-', parts.tm_mon + 1},
                                  {'-', parts.tm_mday},
                                  {'T', parts.tm_hour},
                                  {':', parts.tm_min},
                                  {':', parts.tm_sec}}) {
    out += before;
    append_digits(out, x, 2);
  }
  out += '.';
  append_digits(out, since_epoch_ns % 1'000'000'000, 9);
  out += 'Z';
}

// Returns true if nothing needs escaping; other texts go through the library.
bool is_plain(std::string_view text) {
  return std::all_of(text.begin(), text.end(), [](char c) { return c >= ' ' && c <= '~' && c != '"' && c != '\\'; });
}

} // namespace

json time_json(int64_t since_epoch_ns) {
  if (since_epoch_ns <= 0)
    return nullptr;
  std::string out;
  append_time(out, since_epoch_ns);
  return out;
}

json or_null(const std::string& text) {
  if (text.empty())
    return nullptr;
  return text;
}

void json_row::name(std::string_view key) {
  out_ += out_.empty() ? '{' : ',';
  out_ += '"';
  out_ += key;
  out_ += "\":";
}

json_row& json_row::add(std::string_view key, bool x) {
  name(key);
  out_ += x ? "true" : "false";
  return *this;
}

json_row& json_row::add(std::string_view key, uint64_t x) {
  name(key);
  out_ += std::to_string(x);
  return *this;
}

json_row& json_row::add(std::string_view key, int64_t x) {
  name(key);
  out_ += std::to_string(x);
  return *this;
}

json_row& json_row::add(std::string_view key, double x) {
  name(key);
  out_ += to_text(x);
  return *this;
}

json_row& json_row::add(std::string_view key, std::string_view x) {
  name(key);
  if (is_plain(x))
    out_.append("\"").append(x).append("\"");
  else
    out_ += to_text(json(x));
  return *this;
}

json_row& json_row::add_json(std::string_view key, const json& x) {
  name(key);
  out_ += to_text(x);
  return *this;
}

json_row& json_row::add_or_null(std::string_view key, std::string_view text) {
  return text.empty() ? add_json(key, nullptr) : add(key, text);
}

json_row& json_row::add_time(std::string_view key, int64_t since_epoch_ns) {
  if (since_epoch_ns <= 0)
    return add_json(key, nullptr);
  name(key);
  out_ += '"';
  append_time(out_, since_epoch_ns);
  out_ += '"';
  return *this;
}

std::string json_row::done() {
  out_ += out_.empty() ? "{}" : "}";
  return std::move(out_);
}

} // namespace kevolve
