// A relay on loopback between a node and PostgreSQL, which makes the network slow or silent, or loses answers.
#pragma once

#include <atomic>
#include <chrono>
#include <deque>
#include <string>
#include <thread>
#include <vector>

namespace kevolve::test {

class relay {
public:
  explicit relay(int to_port); // on loopback
  ~relay();
  relay(const relay&) = delete;
  relay& operator=(const relay&) = delete;

  int port() const { return port_; }
  // Holds each piece back for so long, in both directions.
  void delay(std::chrono::milliseconds how_long);
  // Passes nothing on while it is silent. Connections stay open, as behind a network that drops packets.
  void silence(bool on);
  // Closes a connection at its next answer, which it keeps: what was asked is done.
  void lose_answers(bool on);

private:
  using clock = std::chrono::steady_clock;
  struct piece {
    clock::time_point due;
    std::string bytes;
  };
  struct way { // of one direction
    int from;
    int to;
    bool answers; // from the server
    std::deque<piece> held;
    bool ended = false;
  };

  void run();
  void take_connection();
  bool read_from(way& w) const;
  bool pass_on(way& w) const;

  int to_port_;
  int listening_ = -1;
  int wake_ = -1; // readable once a mode has changed
  int port_ = 0;
  std::atomic<int64_t> delay_ms_{0};
  std::atomic<bool> silent_{false};
  std::atomic<bool> loses_{false};
  std::atomic<bool> stop_{false};
  std::vector<way> ways_;
  std::thread thread_;
};

} // namespace kevolve::test
