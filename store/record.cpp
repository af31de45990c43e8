#include "store/record.hpp"

#include "runtime/base/codec.hpp"

#define XXH_INLINE_ALL
#include <xxhash.h>

#include <algorithm>

namespace kevolve {

std::string to_string(table t) {
  switch (t) {
    case table::meta:
      return "meta";
    case table::events:
      return "events";
    case table::nodes:
      return "nodes";
    case table::evaluations:
      return "evaluations";
    case table::blobs:
      return "blobs";
    case table::skills:
      return "skills";
    case table::index:
      return "index";
    case table::quarantine:
      return "quarantine";
  }
  return "table " + std::to_string(static_cast<unsigned>(t));
}

std::string key_of(id128 id) {
  return record::big_endian(id.hi) + record::big_endian(id.lo);
}

id128 id_of(std::string_view key) {
  if (key.size() != 16)
    return {};
  return {record::from_big_endian(key.substr(0, 8)), record::from_big_endian(key.substr(8))};
}

write_op write_op::put(table where, std::string key, std::string value) {
  return {action::put, where, std::move(key), std::move(value)};
}

write_op write_op::erase(table where, std::string key) {
  return {action::erase, where, std::move(key), {}};
}

write_op write_op::put_blob(std::string bytes) {
  auto name = sha256_hex(bytes);
  return {action::put_blob, table::blobs, std::move(name), std::move(bytes)};
}

write_op write_op::put_snapshot(id128 campaign, uint64_t campaign_sequence, std::string_view state) {
  return {action::put_snapshot, table::index, record::snapshot_key(campaign),
          record::big_endian(campaign_sequence).append(state)};
}

} // namespace kevolve

namespace kevolve::record {

namespace {

uint64_t checksum(table where, uint8_t version, std::string_view key, std::string_view payload) {
  std::string place;
  place += static_cast<char>(where);
  place += static_cast<char>(version);
  place += key;
  auto seed = XXH3_64bits(place.data(), place.size());
  return XXH3_64bits_withSeed(payload.data(), payload.size(), seed);
}

struct event_body {
  uint64_t sequence = 0;
  int64_t time_ns = 0;
  uint16_t kind = 0;
  uint16_t version = 0;
  std::string payload;
};

template <class Inspector>
typename Inspector::result_type inspect(Inspector& f, event_body& x) {
  return f(x.sequence, x.time_ns, x.kind, x.version, x.payload);
}

} // namespace

std::string big_endian(uint64_t x) {
  std::string out(8, '\0');
  for (size_t i = 0; i < 8; ++i)
    out[7 - i] = static_cast<char>((x >> (8 * i)) & 0xffU);
  return out;
}

uint64_t from_big_endian(std::string_view eight_bytes) {
  uint64_t x = 0;
  for (auto c : eight_bytes)
    x = (x << 8U) | static_cast<uint8_t>(c);
  return x;
}

std::string seal(table where, std::string_view key, std::string_view payload, uint8_t version) {
  std::string out;
  out.reserve(header_bytes + payload.size());
  out += static_cast<char>(version);
  out += encode(checksum(where, version, key, payload));
  out += payload;
  return out;
}

result<std::string_view> unseal(table where, std::string_view key, std::string_view sealed) {
  if (sealed.size() < header_bytes)
    return fail(errc::corrupt, describe(where, key) + ": " + std::to_string(sealed.size()) + " bytes, no header");
  auto version = static_cast<uint8_t>(sealed[0]);
  auto payload = sealed.substr(header_bytes);
  // The checksum is at the same position in every format, so a damaged version byte is not taken for a newer format.
  if (encode(checksum(where, version, key, payload)) != sealed.substr(1, 8))
    return fail(errc::corrupt, describe(where, key) + ": the checksum does not hold");
  const bool stretch = version == forgotten_format && where == table::index && key.starts_with(order_prefix);
  if (version != format_version && !stretch)
    return fail(errc::newer_format, describe(where, key) + ": record format " + std::to_string(version)
                                        + ", this kevolve reads up to " + std::to_string(format_version));
  return payload;
}

std::string describe(table where, std::string_view key) {
  auto printable = !key.empty() && std::all_of(key.begin(), key.end(), [](char c) { return c > ' ' && c <= '~'; });
  auto out = to_string(where) + "/";
  if (printable)
    return out.append(key);
  static constexpr std::string_view digits = "0123456789abcdef";
  for (auto c : key) {
    out += digits[static_cast<uint8_t>(c) >> 4U];
    out += digits[static_cast<uint8_t>(c) & 15U];
  }
  return out;
}

std::string event_key(id128 campaign, uint64_t campaign_sequence) {
  return key_of(campaign) + big_endian(campaign_sequence);
}

std::string order_key(uint64_t sequence) {
  return order_prefix + big_endian(sequence);
}

std::string seal_forgotten(uint64_t first, uint64_t next) {
  return seal(table::index, order_key(first), big_endian(next), forgotten_format);
}

uint64_t after_forgotten(std::string_view payload) {
  return payload.size() == 8 ? from_big_endian(payload) : 0;
}

std::string snapshot_key(id128 campaign) {
  return snapshot_prefix + key_of(campaign);
}

std::string event_payload(const event_record& e) {
  return encode(event_body{e.sequence, e.time_ns, e.kind, e.version, e.payload});
}

result<event_record> parse_event(std::string_view key, std::string_view payload) {
  auto body = decode<event_body>(payload);
  if (!body || key.size() != event_key_bytes)
    return fail(errc::corrupt, describe(table::events, key) + ": not an event");
  return event_record{
      body->sequence, from_big_endian(key.substr(16)), id_of(key.substr(0, 16)), body->time_ns, body->kind,
      body->version,  std::move(body->payload)};
}

} // namespace kevolve::record
