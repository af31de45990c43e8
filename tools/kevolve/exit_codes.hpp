// The exit codes of the programs; scripts rely on them.
#pragma once

#include "runtime/base/result.hpp"

namespace kevolve::exit_code {

inline constexpr int ok = 0;
inline constexpr int failed = 1; // no valid kernel, candidate rejected
inline constexpr int usage = 2;  // or configuration
inline constexpr int not_found = 3;
inline constexpr int not_authorised = 4;
inline constexpr int conflict = 5;
inline constexpr int unreachable = 6; // no node answers
inline constexpr int timed_out = 7;
inline constexpr int nothing_in_budget = 8; // budget exhausted before any valid kernel
inline constexpr int interrupted = 130;

inline int of(errc code) {
  switch (code) {
    case errc::none:
      return ok;
    case errc::bad_input:
      return usage;
    case errc::not_found:
      return not_found;
    case errc::unauthorised:
      return not_authorised;
    case errc::conflict:
      return conflict;
    case errc::unavailable:
      return unreachable;
    case errc::timed_out:
      return timed_out;
    case errc::cancelled:
      return interrupted;
    default:
      return failed;
  }
}

// Returns the exit code for the status of an HTTP answer.
inline int of_status(unsigned status) {
  switch (status) {
    case 200:
      return ok;
    case 400:
    case 413:
    case 415:
    case 422:
      return usage;
    case 401:
    case 403:
      return not_authorised;
    case 404:
      return not_found;
    case 409:
      return conflict;
    case 503:
      return unreachable;
    case 408:
    case 504:
      return timed_out;
    default:
      return failed;
  }
}

} // namespace kevolve::exit_code
