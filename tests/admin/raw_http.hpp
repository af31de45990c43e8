// Exchanges raw bytes with a loopback port, so that tests can send invalid requests.
#pragma once

#include <cstdint>
#include <map>
#include <string>

namespace kevolve::test {

struct raw_answer {
  unsigned status = 0;                        // 0: the connection ended without an answer
  std::map<std::string, std::string> headers; // names in lower case
  std::string body;
};

// A connection that stays open after its first request.
class open_connection {
public:
  open_connection(uint16_t port, const std::string& text);
  ~open_connection();
  open_connection(const open_connection&) = delete;
  open_connection& operator=(const open_connection&) = delete;
  // Returns the bytes received until `until` was seen or the other side closed. If `until` is empty, it reads to the
  // close.
  std::string read_until(const std::string& until);
  void send(const std::string& text);

private:
  int fd_;
};

// Sends all of `text` and reads until `until` was seen or the other side closed.
std::string send_raw(uint16_t port, const std::string& text, const std::string& until = {});
raw_answer parse_answer(const std::string& text);

} // namespace kevolve::test
