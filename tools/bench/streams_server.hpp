// A local server in another process, which streams like a model; what the benchmark of streams measures against.
#pragma once

#include <sys/mman.h>
#include <sys/types.h>

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>

namespace kevolve::bench {

struct stream_plan {
  std::string data;
  int calls = 2'000;
  int at_once = 200;
  int pieces = 100;    // of an answer
  int every_ms = 20;   // time between pieces
  int prompt_kib = 32; // size of each question
  // The server runs only when the node leaves time, as if it ran on another machine. If false, both have equal shares
  // of the same cores.
  bool server_apart = true;
};

// Returns the steady clock in nanoseconds: both processes have the same.
inline int64_t now_ns() {
  return std::chrono::steady_clock::now().time_since_epoch().count();
}

// Holds the time at which the server's kernel sent the last piece of each answer, by the answer's number. Both
// processes share it.
class sent_times {
public:
  explicit sent_times(size_t answers) : size_(answers * sizeof(std::atomic<int64_t>)) {
    auto* at = mmap(nullptr, size_, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (at != MAP_FAILED)
      ns_ = static_cast<std::atomic<int64_t>*>(at); // zero is a valid lock-free atomic
  }
  ~sent_times() {
    if (ns_ != nullptr)
      munmap(ns_, size_);
  }
  sent_times(const sent_times&) = delete;
  sent_times& operator=(const sent_times&) = delete;

  bool holds(size_t answer) const { return ns_ != nullptr && answer < size_ / sizeof *ns_; }
  void put(size_t answer, int64_t ns) { ns_[answer] = ns; }
  int64_t of(size_t answer) const { return ns_[answer]; } // steady clock; 0: not sent yet

private:
  size_t size_;
  std::atomic<int64_t>* ns_ = nullptr;
};

// Runs in a process of its own, so that its time and memory are not counted as ours. It ends with this one.
class stream_server {
public:
  stream_server(const stream_plan& p, sent_times& sent);
  ~stream_server();
  stream_server(const stream_server&) = delete;
  stream_server& operator=(const stream_server&) = delete;

  uint16_t port() const { return port_; } // 0: it did not start

private:
  pid_t pid_ = -1;
  uint16_t port_ = 0;
};

} // namespace kevolve::bench
