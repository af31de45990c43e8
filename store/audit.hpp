// The audit log: what was asked of a node and what came of it. Each record carries the hash of the one before, so
// none can be changed, left out or put in without a trace; a last record says where the log ends.
#pragma once

#include "store/store.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace kevolve {

struct audit_record {
  uint64_t number = 0; // from 1 on, without a gap
  int64_t time_ns = 0; // wall clock
  std::string phase;   // "begun": before it takes effect | "ended": with its outcome
  std::string request; // id of the request: the same for both
  std::string who;     // fingerprint of the token, never the token
  std::string peer;    // address
  std::string method;
  std::string route;   // operationId
  std::string ids;     // "id=1f0c… index=3"
  uint32_t status = 0; // of an end
  std::string outcome; // of an end: "done", or the problem's name; and the id of what was made
  std::string before;  // hash of the record before it; of the first one: 64 zeros
  std::string hash;    // SHA-256 of all the above
};

template <class I>
typename I::result_type inspect(I& f, audit_record& x) {
  return f(x.number, x.time_ns, x.phase, x.request, x.who, x.peer, x.method, x.route, x.ids, x.status, x.outcome,
           x.before, x.hash);
}

// Where the log ends.
struct audit_end {
  uint64_t number = 0;
  std::string hash = std::string(64, '0');
};
template <class I>
typename I::result_type inspect(I& f, audit_end& x) {
  return f(x.number, x.hash);
}

namespace audit {

inline constexpr std::string_view prefix = "audit/"; // of index
inline constexpr std::string_view end_key = "audit-end";
std::string key(uint64_t number);

// Number, hashes: what makes `x` the record behind `end`. Moves `end` on.
void chain(audit_record& x, audit_end& end);
// The writes that put records into the store, `end` being where the log ends with them.
std::vector<write_op> writes(const std::vector<audit_record>& records, const audit_end& end);

// Where the stored log ends; errc::corrupt.
result<audit_end> read_end(const store& data);
// Up to `limit` records behind number `after`.
result<std::vector<audit_record>> read(const store& data, uint64_t after, size_t limit);

// Looks at records in the order of their keys. An answer that is not empty says what is wrong.
class checker {
public:
  std::string next(std::string_view key, std::string_view payload);
  // The stored end, or empty if there is none.
  std::string finish(std::string_view end_payload) const;

private:
  audit_end at_;
};

} // namespace audit

} // namespace kevolve
