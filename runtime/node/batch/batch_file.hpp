// A batch as one file. An export holds a campaign and its candidates that await judgement; an import holds what was
// added. README.md describes the format.
#pragma once

#include "runtime/base/ids.hpp"
#include "runtime/base/result.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace kevolve {

// An event as the store keeps it, without its positions in the two sequences.
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
  std::string name; // name of the campaign, for people
  std::string target;
  uint64_t candidates = 0;         // out: candidates that await judgement; back: candidates that were judged
  uint64_t left = 0;               // back: candidates that still await judgement
  uint64_t base = 0;               // number of the campaign's events that both sides have
  std::string history;             // history_of() those events
  std::vector<batch_event> events; // out: those events; back: the events after them
  std::vector<batch_value> values; // out: all of the campaign's values; back: new and changed ones
  std::vector<std::string> blobs;  // blobs likewise
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

// Returns a digest of the events in their order. Equal histories have equal digests, whenever they were recorded.
std::string history_of(const std::vector<batch_event>& events, size_t count);

inline constexpr uint16_t batch_format = 1;
// Returns the bytes of the file.
std::string to_batch_bytes(const batch_bundle& b, uint16_t format = batch_format);
// Parses a batch. errc::bad_input: it is no batch; errc::corrupt: it was cut, lengthened or changed;
// errc::newer_format.
result<batch_bundle> parse_batch(std::string_view bytes);

// Reads a batch. errc::not_found, or the failures of parse_batch() with the file's name.
result<batch_bundle> read_batch(const std::string& path);
// Checks that nothing is at the path or, with `again`, an export of this very batch. errc::conflict otherwise.
result<void> may_write(const std::string& path, const batch_bundle& b, bool again);
// Writes the file under another name, syncs it and renames it over any file at the path. Returns its size in bytes.
result<uint64_t> write_batch(const std::string& path, const batch_bundle& b);

} // namespace kevolve
