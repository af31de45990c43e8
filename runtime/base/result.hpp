// Errors as values: an enum of error codes, a text for a person, and result<T>, which carries a value or an error.
#pragma once

#include <tl/expected.hpp>

#include <cstdint>
#include <string>
#include <utility>

namespace kevolve {

// The error codes of the whole project. The text for each value is in result.cpp.
enum class errc : uint8_t {
  none = 0,
  bad_input,    // a file or a request is wrong; the caller can correct it
  not_found,    // no such campaign, node or file
  conflict,     // the state forbids it (locked directory, illegal transition)
  unauthorised, // missing or wrong token
  unavailable,  // a part is down or restarting; try again later
  timed_out,    // no answer within the limit
  cancelled,    // stopped by request
  no_space,     // disk or memory is full
  read_only,    // the data directory cannot be written
  corrupt,      // a checksum or a format does not match
  newer_format, // written by a newer kevolve
  io,           // any other operating-system failure
  protocol,     // a helper process broke its protocol
  unsupported,  // this machine or build cannot do it
  internal,     // a bug
};

// Returns the text of the code.
std::string to_string(errc code);

// An error with its explanation. `detail` names the file, key or value and the remedy.
struct failure {
  errc code = errc::none;
  std::string detail;
};

template <class Inspector>
typename Inspector::result_type inspect(Inspector& f, failure& x) {
  return f(x.code, x.detail);
}

inline bool operator==(const failure& a, const failure& b) {
  return a.code == b.code && a.detail == b.detail;
}

// Returns "not found: campaign 12ab…".
std::string to_string(const failure& x);

template <class T>
using result = tl::expected<T, failure>;

inline tl::unexpected<failure> fail(errc code, std::string detail) {
  return tl::unexpected<failure>(failure{code, std::move(detail)});
}

// Makes a failure from errno: ENOSPC and EDQUOT become no_space, EROFS and EACCES read_only, ENOENT not_found.
failure from_errno(int error_number, std::string what);

} // namespace kevolve
