// The audit log: requests to a node and their outcomes. Each record carries the hash of the one before, so none can be
// changed, removed or inserted without a trace. A separate record holds the end of the log.
#pragma once

#include "store/store.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace kevolve {

struct audit_record {
  uint64_t number = 0; // from 1, without gaps
  int64_t time_ns = 0; // wall clock
  std::string phase;   // "begun": before the request takes effect | "ended": with its outcome
  std::string request; // id of the request, the same in both phases
  std::string who;     // fingerprint of the token, never the token
  std::string peer;    // address
  std::string method;
  std::string route;   // operationId
  std::string ids;     // "id=1f0c… index=3"
  uint32_t status = 0; // of phase "ended"
  std::string outcome; // of phase "ended": "done" or the problem's name, and the id of a new object
  std::string before;  // hash of the record before it; the first record has 64 zeros
  std::string hash;    // SHA-256 of all members above
};

template <class I>
typename I::result_type inspect(I& f, audit_record& x) {
  return f(x.number, x.time_ns, x.phase, x.request, x.who, x.peer, x.method, x.route, x.ids, x.status, x.outcome,
           x.before, x.hash);
}

// The number and hash of the last record.
struct audit_end {
  uint64_t number = 0;
  std::string hash = std::string(64, '0');
};
template <class I>
typename I::result_type inspect(I& f, audit_end& x) {
  return f(x.number, x.hash);
}

namespace audit {

inline constexpr std::string_view prefix = "audit/"; // in the index table
inline constexpr std::string_view end_key = "audit-end";
std::string key(uint64_t number);

// Sets the number and hashes that make `x` the record after `end`, and moves `end` to it.
void chain(audit_record& x, audit_end& end);
// Returns the writes that store the records; `end` is the end of the log including them.
std::vector<write_op> writes(const std::vector<audit_record>& records, const audit_end& end);

// Returns the end of the stored log; errc::corrupt.
result<audit_end> read_end(const store& data);
// Returns up to `limit` records after number `after`.
result<std::vector<audit_record>> read(const store& data, uint64_t after, size_t limit);

// Checks records in the order of their keys. A non-empty answer says what is wrong.
class checker {
public:
  std::string next(std::string_view key, std::string_view payload);
  // Compares with the stored end; `end_payload` is empty if there is none.
  std::string finish(std::string_view end_payload) const;

private:
  audit_end at_;
};

} // namespace audit

} // namespace kevolve
