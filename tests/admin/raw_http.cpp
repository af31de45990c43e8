#include "tests/admin/raw_http.hpp"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include <cctype>

namespace kevolve::test {

open_connection::open_connection(uint16_t port, const std::string& text)
    : fd_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
  timeval limit{20, 0};
  ::setsockopt(fd_, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
  sockaddr_in to{};
  to.sin_family = AF_INET;
  to.sin_port = htons(port);
  to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  if (::connect(fd_, reinterpret_cast<const sockaddr*>(&to), sizeof to) != 0)
    return;
  send(text);
}

void open_connection::send(const std::string& text) {
  for (size_t sent = 0; sent < text.size();) {
    auto n = ::send(fd_, text.data() + sent, text.size() - sent, MSG_NOSIGNAL);
    if (n <= 0)
      return;
    sent += static_cast<size_t>(n);
  }
}

open_connection::~open_connection() {
  ::close(fd_);
}

std::string open_connection::read_until(const std::string& until) {
  std::string out;
  char buffer[16384];
  for (;;) {
    auto n = ::recv(fd_, buffer, sizeof buffer, 0);
    if (n <= 0)
      return out;
    out.append(buffer, static_cast<size_t>(n));
    if (!until.empty() && out.find(until) != std::string::npos)
      return out;
  }
}

std::string send_raw(uint16_t port, const std::string& text, const std::string& until) {
  open_connection c{port, text};
  return c.read_until(until);
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
