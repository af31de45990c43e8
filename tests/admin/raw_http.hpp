// Bytes to a loopback port and back: what a hostile client sends is written out in full.
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

// A connection that has sent something and stays open.
class open_connection {
public:
  open_connection(uint16_t port, const std::string& text);
  ~open_connection();
  open_connection(const open_connection&) = delete;
  open_connection& operator=(const open_connection&) = delete;
  // What has come when `until` has been seen, or the other side has closed (also: empty `until`).
  std::string read_until(const std::string& until);
  void send(const std::string& text);

private:
  int fd_;
};

// Sends all of `text` and reads until the other side closes, or until `until` has been seen.
std::string send_raw(uint16_t port, const std::string& text, const std::string& until = {});
raw_answer parse_answer(const std::string& text);

} // namespace kevolve::test
