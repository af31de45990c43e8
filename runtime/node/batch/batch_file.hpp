// A batch as one file: what a campaign is and awaits, on its way out; what was added to it, on its way back. README.md
// is the format.
#pragma once

#include "runtime/base/ids.hpp"
#include "runtime/base/result.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace kevolve {

// An event as the store keeps it, without its places in the two sequences.
struct batch_event {
  int64_t time_ns = 0;
  uint16_t kind = 0;
  uint16_t version = 0;
  std::string payload;
};

struct batch_value {
  uint8_t where = 0; // table
  std::string key;
  std::string value;
};

enum class batch_way : uint8_t { out = 0, back };
constexpr batch_way last_value(batch_way) {
  return batch_way::back;
}

struct batch_bundle {
  batch_way way = batch_way::out;
  id128 batch;
  id128 campaign;
  std::string name; // of the campaign, for people
  std::string target;
  uint64_t candidates = 0;         // out: that await judgement; back: that were judged
  uint64_t left = 0;               // back: that still await it
  uint64_t base = 0;               // so many events of the campaign are what both sides have
  std::string history;             // history_of() these
  std::vector<batch_event> events; // out: these; back: what followed them
  std::vector<batch_value> values; // out: all that belongs to the campaign; back: what is new or another
  std::vector<std::string> blobs;  // likewise
};

template <class I>
typename I::result_type inspect(I& f, batch_event& x) {
  return f(x.time_ns, x.kind, x.version, x.payload);
}
template <class I>
typename I::result_type inspect(I& f, batch_value& x) {
  return f(x.where, x.key, x.value);
}
template <class I>
typename I::result_type inspect(I& f, batch_bundle& x) {
  return f(x.way, x.batch, x.campaign, x.name, x.target, x.candidates, x.left, x.base, x.history, x.events, x.values,
           x.blobs);
}

// A digest of events in their order: equal for equal histories, whenever they were recorded.
std::string history_of(const std::vector<batch_event>& events, size_t count);

inline constexpr uint16_t batch_format = 1;
std::string to_batch_bytes(const batch_bundle& b, uint16_t format = batch_format);
// errc::bad_input: no batch; errc::corrupt: cut, lengthened or changed; errc::newer_format.
result<batch_bundle> parse_batch(std::string_view bytes);

// errc::not_found; the failures of parse_batch(), with the file's name.
result<batch_bundle> read_batch(const std::string& path);
// Whether this may be written there: nothing is there, or, with `again`, an export of this very batch. errc::conflict.
result<void> may_write(const std::string& path, const batch_bundle& b, bool again);
// The file appears when it is whole and synced, over one of that name; returns its size.
result<uint64_t> write_batch(const std::string& path, const batch_bundle& b);

} // namespace kevolve
