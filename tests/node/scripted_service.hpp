// A node's provider whose model says what its script says, over real connections (Chat Completions, streamed).
#pragma once

#include "config/node.hpp"
#include "tests/llm_transport/hostile_provider.hpp"

#include <string>
#include <utility>
#include <vector>

namespace kevolve::test {

// Its key, which is to be found nowhere.
inline constexpr auto canary = "sk-canary-3f9a1c77e2b84d50";

// A reply with a right candidate for row_energy, no two of which are one.
std::string written(int serial);
// The candidate alone.
std::string energy_source(int serial);

// A reply of these words, or one that calls tools: name and arguments of each.
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
