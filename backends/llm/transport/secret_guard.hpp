// Removes an attempt's secrets from everything reported about its answer. Servers repeat keys in error texts, and a
// hostile server may do so anywhere.
#pragma once

#include "backends/llm/protocol/exchange.hpp"
#include "backends/llm/protocol/failure.hpp"
#include "backends/llm/protocol/redaction.hpp"
#include "backends/llm/transport/attempt.hpp"
#include "backends/llm/transport/route.hpp"

#include <string>
#include <vector>

namespace kevolve {

class secret_guard {
public:
  secret_guard() = default;
  // Collects the key, the proxy's password, and extra headers whose names suggest secrets. Values of fewer than 8
  // characters ("EMPTY", "token") are skipped; removing them would remove ordinary words.
  static secret_guard make(const attempt& a, const provider_route& way);

  // Also removes a secret with invisible characters in between, since later readers drop those.
  std::string clean(std::string_view text) const;
  // Cleans events, which must be passed in order. Finds secrets that are split between events: a possible beginning of
  // a secret is delayed until the next event.
  std::vector<llm::event> clean(std::vector<llm::event> events);
  void clean(llm::reply& r) const;
  void clean(attempt_end& e) const;

private:
  void clean(llm::reply_error& e) const;
  void clean(llm::tool_call& c) const;
  void release(std::vector<llm::event>& out);
  size_t begun_secret(std::string_view text) const;

  llm::redactor redactor_;
  std::vector<api_key> secrets_;
  bool holds_ = false;
  llm::event held_;
};

} // namespace kevolve
