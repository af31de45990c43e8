// JSON as the admin and the command line write it: keys in the order they are put in, no NaN, no infinity.
#pragma once

#include <nlohmann/json.hpp>

#include <cstdint>
#include <string>
#include <utility>

namespace kevolve {

using json = nlohmann::ordered_json;

// An object made member by member, in the order they are named. nlohmann's initializer lists first make an array of
// each pair, which costs four times as much: worth it where a page has a hundred of them.
class json_object {
public:
  explicit json_object(size_t members) { members_.reserve(members); }
  template <class T>
  json_object& add(const char* key, T&& value) {
    members_.emplace_back(key, json(std::forward<T>(value)));
    return *this;
  }
  json done() { return json(std::move(members_)); }

private:
  json::object_t members_;
};

// One line. Numbers that JSON cannot say become null, bytes that are no UTF-8 the replacement character.
std::string to_text(const json& x);
// The same, indented for people.
std::string to_pretty_text(const json& x);

// "2026-01-31T12:00:00.123456789Z"; null for 0.
json time_json(int64_t since_epoch_ns);

// Text, or null if empty.
json or_null(const std::string& text);

} // namespace kevolve
