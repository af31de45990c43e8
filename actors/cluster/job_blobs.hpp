// Moves the large texts of a job out of it, so that each travels to a node once: objects and modules are the same for
// many jobs.
#pragma once

#include "backends/protocol.hpp"
#include "runtime/base/result.hpp"

#include <functional>
#include <string>
#include <vector>

namespace kevolve {

// Replaces each large text of the request by its SHA-256 and returns the texts, each once. Other requests have none.
std::vector<std::string> detach_blobs(judge_request& request);
template <class Request>
std::vector<std::string> detach_blobs(Request&) {
  return {};
}

// Puts the texts back. `fetch` returns the bytes of a SHA-256; its failure is passed on.
using blob_source = std::function<result<std::string>(const std::string& digest)>;
result<void> attach_blobs(judge_request& request, const blob_source& fetch);
// Requests without large texts.
template <class Request>
result<void> attach_blobs(Request&, const blob_source&) {
  return {};
}

} // namespace kevolve
