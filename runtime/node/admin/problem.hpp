// Errors over HTTP: application/problem+json (RFC 9457) with a stable `type`.
#pragma once

#include "runtime/base/result.hpp"
#include "runtime/node/admin/exchange.hpp"

#include <string>
#include <vector>

namespace kevolve {

// One of several things wrong with a body; `key` is empty where it is about the whole.
struct problem_error {
  std::string key;
  std::string detail;
};

// `type` is "urn:kevolve:problem:" and the name.
struct problem {
  unsigned status = 500;
  std::string name;   // "not-found"
  std::string detail; // for a person: what was expected and what to do
  std::vector<problem_error> errors{};
};

// The problem that says a failure: not_found → 404, conflict → 409, timed_out → 504, …
problem to_problem(const failure& x);

// 422, with every error.
problem invalid(std::vector<problem_error> errors);

// "Not Found"
std::string status_text(unsigned status);

api_response to_response(const problem& x);

} // namespace kevolve
