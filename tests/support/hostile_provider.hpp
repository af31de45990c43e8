// A provider that follows a script byte for byte, on the loopback interface, with a thread per connection and blocking
// calls. The first part of the requested path selects the script.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace kevolve::test {

enum class act : uint8_t {
  send = 0,
  send_in_pieces, // in packets of `number` bytes
  repeat,         // sends `bytes` every `number` ms (0: as fast as they are read) until the client disconnects
  wait_for_gate,
  next_request, // on the same connection
  close,
  drop, // closes TLS without notice
  reset,
  stay, // waits until the client disconnects
};

struct step {
  act what = act::send;
  std::string bytes;
  int number = 0;
};
using script = std::vector<step>;

enum class greeting : uint8_t { serve = 0, close, reset, mute, speak_plain, tunnel };

struct listening {
  greeting greets = greeting::serve; // tunnel: a proxy; CONNECT goes to that loopback port, whatever its host
  std::string certificate;           // certificate files; empty: plain
  std::string key;
  std::string unix_path;                                                    // empty: a loopback port
  std::string proxy_answer = "HTTP/1.1 200 Connection established\r\n\r\n"; // another status refuses the tunnel
};

struct seen_request {
  std::string head;
  std::string body;
};

class hostile_provider {
public:
  hostile_provider();
  ~hostile_provider();
  hostile_provider(const hostile_provider&) = delete;
  hostile_provider& operator=(const hostile_provider&) = delete;

  uint16_t listen(listening how = {});
  // Adds scripts and returns the path that selects them, such as "/1". Each request gets the next script; the last one
  // repeats.
  std::string add(std::vector<script> scripts);
  std::vector<seen_request> requests() const;
  size_t connections() const;
  // Waits until clients have closed that many connections before we did. Returns the number.
  size_t wait_for_gone(size_t at_least) const;
  // Waits until that many answers have reached their `next_request`.
  size_t wait_for_played(size_t at_least) const;
  void open_gate();

private:
  struct state;
  std::shared_ptr<state> state_;
};

// Returns "HTTP/1.1 200 OK" with these headers, each with its line end, and the body with its length.
std::string whole_answer(int status, const std::string& headers, const std::string& body);
std::string chunk(const std::string& bytes);

} // namespace kevolve::test
