// Keys of the actors' records in the store, and the families that contain them.
#pragma once

#include "actors/messages/exchange_records.hpp"
#include "runtime/base/ids.hpp"

#include <charconv>
#include <cstdint>
#include <string>
#include <string_view>

namespace kevolve::keys {

inline constexpr const char* nodes = "nodes";
inline constexpr const char* evaluations = "evaluations";
inline constexpr const char* skills = "skills";
inline constexpr const char* index = "index";
inline constexpr const char* blobs = "blobs";

inline std::string big_endian(uint64_t x) {
  std::string out(8, '\0');
  for (size_t i = 0; i < 8; ++i)
    out[i] = static_cast<char>((x >> (56 - 8 * i)) & 0xffU);
  return out;
}
inline uint64_t number_in(std::string_view eight_bytes) {
  uint64_t out = 0;
  for (const char c : eight_bytes)
    out = out << 8U | static_cast<unsigned char>(c);
  return out;
}
inline std::string of(const id128& x) {
  return big_endian(x.hi) + big_endian(x.lo);
}

// Returns the key of a candidate's record in `nodes`.
inline std::string node(const id128& campaign, uint64_t number) {
  return of(campaign) + big_endian(number);
}
// Returns the key of one stage's result in `evaluations`.
inline std::string evaluation(const id128& id) {
  return of(id);
}
// Returns the key of a whole skill in `skills`.
inline std::string skill(const id128& id) {
  return of(id);
}
// Return the keys of the campaign's submission and of its preparation in `index`.
inline std::string campaign(const id128& id) {
  return "campaign/" + of(id);
}
inline std::string prepared(const id128& id) {
  return "prepared/" + of(id);
}
// Return the prefix and the keys of the questions of a node's generators and their answers in `index`.
inline std::string exchanges(const id128& campaign, uint64_t node) {
  return "exchange/" + of(campaign) + big_endian(node);
}
inline std::string exchange(const exchange_id& x) {
  return exchanges(x.campaign, x.node) + big_endian(x.generator) + big_endian(x.round);
}
// Return the keys of the spending on models in `index`, by campaign and by provider.
inline std::string spent_by(const id128& campaign) {
  return "spent/campaign/" + of(campaign);
}
inline std::string spent_with(const std::string& provider) {
  return "spent/provider/" + provider;
}
// Returns the key of the latest record of a device in `index`.
inline std::string device(const std::string& id) {
  return "device/" + id;
}
// Returns the key of an earlier record of a device in `index`; a new one replaces one that is too old.
inline std::string device_sample(const std::string& id, uint64_t place) {
  return "sample/" + id + "/" + big_endian(place);
}
// Returns the key in `index` of a campaign whose removal has begun and may not be complete.
inline std::string forgetting(const id128& id) {
  return "forgetting/" + of(id);
}
// Returns the key of the latest known status in `index`, so that lists never fold a finished campaign.
inline std::string status(const id128& id) {
  return "status/" + of(id);
}
// Returns the prefix of the status keys whose ids begin with these hexadecimal digits, up to whole bytes.
inline std::string statuses(std::string_view digits) {
  std::string out = "status/";
  for (uint8_t byte = 0; digits.size() >= 2; digits.remove_prefix(2)) {
    const auto read = std::from_chars(digits.data(), digits.data() + 2, byte, 16);
    if (read.ec != std::errc{} || read.ptr != digits.data() + 2)
      break;
    out += static_cast<char>(byte);
  }
  return out;
}

} // namespace kevolve::keys
