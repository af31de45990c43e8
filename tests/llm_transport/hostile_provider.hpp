// A provider that does as its script says, byte for byte: on loopback, a thread a connection, blocking calls. Its
// clients are told apart by the first part of the path they ask for.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace kevolve::test {

enum class act : uint8_t {
  send = 0,
  send_in_pieces, // of `number` bytes, each a packet of its own
  repeat,         // `bytes` every `number` ms (0: as fast as they are read) until the client has gone
  wait_for_gate,
  next_request, // on the same connection
  close,
  drop, // TLS: without saying so
  reset,
  stay, // until the client has gone
};

struct step {
  act what = act::send;
  std::string bytes;
  int number = 0;
};
using script = std::vector<step>;

enum class greeting : uint8_t { serve = 0, close, reset, mute, speak_plain, tunnel };

struct listening {
  greeting greets = greeting::serve; // tunnel: a proxy; CONNECT goes to that port of loopback, whatever its host
  std::string certificate;           // files; empty: plain
  std::string key;
  std::string unix_path;                                                    // empty: a port of loopback
  std::string proxy_answer = "HTTP/1.1 200 Connection established\r\n\r\n"; // another status: no tunnel
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
  // The path that asks for it, "/1". One script a request; the last for all further ones.
  std::string add(std::vector<script> scripts);
  std::vector<seen_request> requests() const;
  size_t connections() const;
  // Until so many times a client has closed a connection before we did. How often it has.
  size_t wait_for_gone(size_t at_least) const;
  // Until so many answers were given up to their `next_request`.
  size_t wait_for_played(size_t at_least) const;
  void open_gate();

private:
  struct state;
  std::shared_ptr<state> state_;
};

// "HTTP/1.1 200 OK" with these headers, each with its line end, and the body with its length.
std::string whole_answer(int status, const std::string& headers, const std::string& body);
std::string chunk(const std::string& bytes);

} // namespace kevolve::test
