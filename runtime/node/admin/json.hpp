// JSON in the form that the admin and the command line write: keys in insertion order, no NaN, no infinity.
#pragma once

#include <nlohmann/json.hpp>

#include <cstdint>
#include <string>
#include <string_view>

namespace kevolve {

using json = nlohmann::ordered_json;

// Returns one line. Numbers that JSON cannot express become null, bytes that are not UTF-8 the replacement character.
std::string to_text(const json& x);
// Returns the text indented for people.
std::string to_pretty_text(const json& x);

// Returns "2026-01-31T12:00:00.123456789Z"; null unless positive.
json time_json(int64_t since_epoch_ns);

// Returns the text, or null if it is empty.
json or_null(const std::string& text);

// Writes an object directly as text, member by member. It serves the rows of pages, where building a tree of values
// first would cost several times as much as the rest of the answer.
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
