// A provider for a node whose model follows a script, over real connections (streamed Chat Completions).
#pragma once

#include "config/node.hpp"
#include "tests/support/hostile_provider.hpp"

#include <string>
#include <utility>
#include <vector>

namespace kevolve::test {

// Its key, which must not occur anywhere.
inline constexpr auto canary = "sk-canary-3f9a1c77e2b84d50";

// Returns a reply with a valid candidate for row_energy; each serial gives a different one.
std::string written(int serial);
// Returns the candidate alone.
std::string energy_source(int serial);

// Return a reply with this text, one that calls tools with names and arguments, or an error.
script streams(const std::string& text);
script calls(const std::vector<std::pair<std::string, std::string>>& tools);
script refuses(int status, const std::string& body);

struct scripted_service {
  hostile_provider server;
  provider_spec spec;

  explicit scripted_service(std::vector<script> scripts);
  ~scripted_service();
  scripted_service(const scripted_service&) = delete;
  scripted_service& operator=(const scripted_service&) = delete;
};

} // namespace kevolve::test
