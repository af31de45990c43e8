// Keeps an attempt's secrets out of all that is told of its answer: servers repeat keys in error texts, and a hostile
// one anywhere.
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
  // The key, the proxy's password, and extra headers that are named like secrets. What has fewer than 8 characters
  // ("EMPTY", "token") is none: its removal would take ordinary words with it.
  static secret_guard make(const attempt& a, const provider_route& way);

  // Also a secret with invisible characters among its own, which later readers drop.
  std::string clean(std::string_view text) const;
  // Events in the order they are told. A secret cut in pieces is found too: the end of a piece that may be the
  // beginning of one waits for the next piece.
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
