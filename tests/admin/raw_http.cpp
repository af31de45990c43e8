#include "tests/admin/raw_http.hpp"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include <cctype>

namespace kevolve::test {

std::string send_raw(uint16_t port, const std::string& text, const std::string& until) {
  auto fd = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  timeval limit{20, 0};
  ::setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
  sockaddr_in to{};
  to.sin_family = AF_INET;
  to.sin_port = htons(port);
  to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  std::string out;
  if (::connect(fd, reinterpret_cast<const sockaddr*>(&to), sizeof to) == 0) {
    size_t sent = 0;
    while (sent < text.size()) {
      auto n = ::send(fd, text.data() + sent, text.size() - sent, MSG_NOSIGNAL);
      if (n <= 0)
        break;
      sent += static_cast<size_t>(n);
    }
    char buffer[16384];
    for (;;) {
      auto n = ::recv(fd, buffer, sizeof buffer, 0);
      if (n <= 0)
        break;
      out.append(buffer, static_cast<size_t>(n));
      if (!until.empty() && out.find(until) != std::string::npos)
        break;
    }
  }
  ::close(fd);
  return out;
}

raw_answer parse_answer(const std::string& text) {
  raw_answer out;
  auto end = text.find("\r\n\r\n");
  if (!text.starts_with("HTTP/1.1 ") || end == std::string::npos)
    return out;
  out.status = static_cast<unsigned>(std::stoul(text.substr(9, 3)));
  out.body = text.substr(end + 4);
  size_t from = text.find("\r\n") + 2;
  while (from < end) {
    auto line_end = text.find("\r\n", from);
    auto line = text.substr(from, line_end - from);
    auto colon = line.find(": ");
    if (colon != std::string::npos) {
      auto name = line.substr(0, colon);
      for (auto& c : name)
        c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
      out.headers[name] = line.substr(colon + 2);
    }
    from = line_end + 2;
  }
  return out;
}

} // namespace kevolve::test
