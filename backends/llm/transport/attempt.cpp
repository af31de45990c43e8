#include "backends/llm/transport/attempt.hpp"

#include <fmt/format.h>

namespace kevolve {

namespace {

std::string milliseconds_of(const std::optional<microseconds>& t) {
  return t ? fmt::format("{:.1f} ms", static_cast<double>(t->count()) / 1000.0) : std::string{"never"};
}

} // namespace

std::string to_string(attempt_outcome o) {
  switch (o) {
    case attempt_outcome::answered:
      return "answered";
    case attempt_outcome::failed:
      return "failed";
    case attempt_outcome::cancelled:
      return "cancelled";
  }
  return "failed";
}

std::string describe(const attempt& a) {
  const auto way = plan_route(a.provider, a.network);
  if (!way)
    return to_string(way.error());
  return fmt::format("{} {} at {}{}{}, {}, {} bytes", a.provider.name, llm::to_string(a.provider.wire),
                     way->tls ? "https://" : "http://", way->authority(),
                     way->unix_socket.empty() ? way->proxy ? " through a proxy" : "" : " through " + way->unix_socket,
                     a.stream ? "streamed" : "whole", a.body ? a.body->size() : 0);
}

std::string describe(const attempt_end& e) {
  auto out = fmt::format("{} after {}, HTTP {}, first content {}, {} bytes out, {} in{}{}", to_string(e.outcome),
                         milliseconds_of(e.times.total), e.status, milliseconds_of(e.times.first_content), e.bytes_out,
                         e.bytes_in, e.reused ? ", connection reused" : "", e.resent ? ", resent" : "");
  if (e.remedy)
    out += ": " + e.remedy->words + " (" + to_string(e.remedy->action) + ")";
  return out;
}

} // namespace kevolve
