// Errors over HTTP: application/problem+json (RFC 9457) with a stable `type`.
#pragma once

#include "runtime/base/result.hpp"
#include "runtime/node/admin/exchange.hpp"

#include <string>

namespace kevolve {

// `type` is "urn:kevolve:problem:" and the name.
struct problem {
  unsigned status = 500;
  std::string name;   // "not-found"
  std::string detail; // for a person: what was expected and what to do
};

// The problem that says a failure: not_found → 404, conflict → 409, timed_out → 504, …
problem to_problem(const failure& x);

// "Not Found"
std::string status_text(unsigned status);

api_response to_response(const problem& x);

} // namespace kevolve
