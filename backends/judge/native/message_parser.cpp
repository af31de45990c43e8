#include "backends/judge/native/message_parser.hpp"

#include <cstring>

namespace kevolve {

bool accept_load_report(wire::load_report& report, size_t received) {
  if (received != sizeof(report))
    return false;
  report.text[sizeof(report.text) - 1] = '\0';
  for (auto& c : report.text)
    if (c != '\0' && (c < ' ' || c > '~'))
      c = '?';
  return true;
}

bool answers_call(const std::byte* message, size_t received, uint64_t token) {
  wire::done said = {};
  if (received != sizeof(said))
    return false;
  std::memcpy(&said, message, sizeof(said));
  return said.token == token;
}

} // namespace kevolve
