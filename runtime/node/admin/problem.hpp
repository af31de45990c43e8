// Errors over HTTP: application/problem+json (RFC 9457) with a stable `type`.
#pragma once

#include "runtime/base/result.hpp"
#include "runtime/node/admin/exchange.hpp"

#include <string>
#include <vector>

namespace kevolve {

// One of several errors in a body; `key` is empty if it concerns the whole body.
struct problem_error {
  std::string key;
  std::string detail;
};

// A problem; its `type` is "urn:kevolve:problem:" followed by the name.
struct problem {
  unsigned status = 500;
  std::string name;   // "not-found"
  std::string detail; // for a person: the expectation and the remedy
  std::vector<problem_error> errors{};
};

// Returns the problem for a failure: not_found → 404, conflict → 409, timed_out → 504, …
problem to_problem(const failure& x);

// Returns a 422 with every error.
problem invalid(std::vector<problem_error> errors);

// Returns "Not Found" and the like.
std::string status_text(unsigned status);

api_response to_response(const problem& x);

} // namespace kevolve
