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

// Returns the payload with the header of a record under that table and key.
std::string seal(table where, std::string_view key, std::string_view payload, uint8_t version = format_version);

// Checks the header and returns the payload as a view into `sealed`. errc::corrupt: no header, or the checksum does not
// hold. errc::newer_format: a newer kevolve wrote it. Both name table and key.
result<std::string_view> unseal(table where, std::string_view key, std::string_view sealed);

// Returns "events/0123…", with unprintable keys in hexadecimal.
std::string describe(table where, std::string_view key);

// Return the eight bytes of a number, the highest first, and the number of such bytes: keys then sort as numbers do.
std::string big_endian(uint64_t x);
uint64_t from_big_endian(std::string_view eight_bytes);

// Return the keys of the store's own records.
std::string event_key(id128 campaign, uint64_t campaign_sequence);
inline constexpr size_t event_key_bytes = 24;
inline constexpr char order_prefix = '\x01'; // index: global sequence → key of the event
std::string order_key(uint64_t sequence);
// Returns the record that stands under order_key(first) once the events from `first` to before `next` are forgotten. It
// has a format of its own, because an older reader would take the stretch for damage.
inline constexpr uint8_t forgotten_format = 2;
std::string seal_forgotten(uint64_t first, uint64_t next);
// Returns the sequence after a forgotten stretch; zero if the payload is an event's key.
uint64_t after_forgotten(std::string_view payload);
inline constexpr size_t order_key_bytes = 9;
inline constexpr char snapshot_prefix = '\x02'; // index: campaign → fold of its events
std::string snapshot_key(id128 campaign);
inline constexpr uint8_t first_free_index_byte = 0x10;
inline constexpr std::string_view schema_key = "schema"; // meta: u32

// Returns the payload of an event's record: all but what its key says, campaign and campaign sequence.
std::string event_payload(const event_record& e);
// Returns the event of a key and an unsealed payload; errc::corrupt: they are no event's.
result<event_record> parse_event(std::string_view key, std::string_view payload);

} // namespace kevolve::record
