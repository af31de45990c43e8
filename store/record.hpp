// The bytes of one record: a format version, a checksum that also covers the table and key, and the payload.
// store/README.md describes them.
#pragma once

#include "runtime/base/result.hpp"
#include "store/transaction.hpp"

#include <cstdint>
#include <string>
#include <string_view>

namespace kevolve::record {

inline constexpr uint8_t format_version = 1;
inline constexpr size_t header_bytes = 9;

// Returns the bytes of a record with its header.
std::string seal(table where, std::string_view key, std::string_view payload, uint8_t version = format_version);

// Returns the payload as a view into `sealed`. errc::corrupt or errc::newer_format, naming table and key.
result<std::string_view> unseal(table where, std::string_view key, std::string_view sealed);

// Returns "events/0123…", with unprintable keys in hexadecimal.
std::string describe(table where, std::string_view key);

std::string big_endian(uint64_t x);
uint64_t from_big_endian(std::string_view eight_bytes);

// Return the keys of the store's own records.
std::string event_key(id128 campaign, uint64_t campaign_sequence);
inline constexpr size_t event_key_bytes = 24;
inline constexpr char order_prefix = '\x01'; // index: global sequence → key of the event
std::string order_key(uint64_t sequence);
// Replaces the event's key by the sequence that follows a stretch of forgotten events. It has a format of its own,
// because an older reader would take the stretch for damage.
inline constexpr uint8_t forgotten_format = 2;
std::string seal_forgotten(uint64_t first, uint64_t next);
// Returns the sequence after a forgotten stretch; zero if the payload is an event's key.
uint64_t after_forgotten(std::string_view payload);
inline constexpr size_t order_key_bytes = 9;
inline constexpr char snapshot_prefix = '\x02'; // index: campaign → fold of its events
std::string snapshot_key(id128 campaign);
inline constexpr uint8_t first_free_index_byte = 0x10;
inline constexpr std::string_view schema_key = "schema"; // meta: u32

std::string event_payload(const event_record& e);
// Parses the key and payload of an event; errc::corrupt.
result<event_record> parse_event(std::string_view key, std::string_view payload);

} // namespace kevolve::record
