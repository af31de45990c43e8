// JSON as the admin and the command line write it: keys in the order they are put in, no NaN, no infinity.
#pragma once

#include <nlohmann/json.hpp>

#include <cstdint>
#include <string>
#include <string_view>

namespace kevolve {

using json = nlohmann::ordered_json;

// One line. Numbers that JSON cannot say become null, bytes that are no UTF-8 the replacement character.
std::string to_text(const json& x);
// The same, indented for people.
std::string to_pretty_text(const json& x);

// "2026-01-31T12:00:00.123456789Z"; null for 0.
json time_json(int64_t since_epoch_ns);

// Text, or null if empty.
json or_null(const std::string& text);

// An object written as text at once, member by member: for the rows of pages, where to make a tree of values first
// costs several times what the rest of the answer does.
class json_row {
public:
  json_row() { out_.reserve(512); }
  json_row& add(std::string_view key, bool x);
  json_row& add(std::string_view key, uint64_t x);
  json_row& add(std::string_view key, int64_t x);
  json_row& add(std::string_view key, double x);
  json_row& add(std::string_view key, std::string_view x);
  json_row& add_json(std::string_view key, const json& x);
  json_row& add_or_null(std::string_view key, std::string_view text);
  json_row& add_time(std::string_view key, int64_t since_epoch_ns);
  std::string done();

private:
  void name(std::string_view key);
  std::string out_;
};

} // namespace kevolve
