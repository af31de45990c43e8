#include "tools/bench/polling.hpp"

#include "tools/bench/report.hpp"

#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/read.hpp>
#include <boost/asio/steady_timer.hpp>

#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace kevolve::bench {

namespace {

namespace asio = boost::asio;
using asio::ip::tcp;
using clock = std::chrono::steady_clock;
using error = boost::system::error_code;

struct tally {
  std::vector<int64_t> took_us;
  uint64_t failed = 0;
};

// Sends requests over successive connections. It stands for a remote client but uses processor time of the node's
// machine. So it reads only an answer's head and lets the kernel drop the rest.
class client : public std::enable_shared_from_this<client> {
public:
  client(asio::io_context& io, const polling& what, const std::string& token, tally& out)
      : what_(what), out_(out), socket_(io), timer_(io) {
    for (const auto& path : what.paths)
      requests_.push_back("GET " + path + " HTTP/1.1\r\nHost: 127.0.0.1:" + std::to_string(what.port)
                          + "\r\nAuthorization: Bearer " + token + "\r\n\r\n");
  }

  void start(std::chrono::milliseconds after) { rest(after); }

private:
  void rest(std::chrono::milliseconds pause) {
    timer_.expires_after(pause);
    timer_.async_wait([self = shared_from_this()](error e) {
      if (!e)
        self->ask();
    });
  }

  void ask() {
    begin_ = clock::now();
    left_.reset();
    head_.clear();
    error e;
    if (!socket_.is_open()) {
      socket_.connect({asio::ip::address_v4::loopback(), what_.port}, e);
      if (!e)
        socket_.native_non_blocking(true, e);
    }
    const auto& request = requests_[next_++ % requests_.size()];
    if (e
        || ::send(socket_.native_handle(), request.data(), request.size(), MSG_NOSIGNAL)
               != static_cast<ssize_t>(request.size()))
      ended(false);
    else
      wait();
  }

  void wait() {
    socket_.async_wait(tcp::socket::wait_read, [self = shared_from_this()](error e) {
      if (e)
        self->ended(false);
      else
        self->read();
    });
  }

  void read() {
    while (true) {
      std::array<char, 1'024> piece;
      const auto n = left_ ? ::recv(socket_.native_handle(), nullptr, *left_, MSG_TRUNC)
                           : ::recv(socket_.native_handle(), piece.data(), piece.size(), 0);
      if (n < 0 && errno == EAGAIN) {
        wait();
        return;
      }
      if (n <= 0) {
        ended(false);
        return;
      }
      if (left_)
        *left_ -= std::min(*left_, static_cast<size_t>(n));
      else
        head_.append(piece.data(), static_cast<size_t>(n));
      if (!left_ && !look()) {
        ended(false);
        return;
      }
      if (left_ && *left_ == 0) {
        ended(head_.starts_with("HTTP/1.1 200 "));
        return;
      }
    }
  }

  // Reads the remaining length of the answer once its head is complete. Returns false if it has no length.
  bool look() {
    constexpr std::string_view field = "Content-Length: ";
    const auto end = head_.find("\r\n\r\n");
    if (end == std::string::npos)
      return true;
    const auto at = head_.find(field);
    if (at > end)
      return false;
    const auto length = std::strtoull(head_.c_str() + at + field.size(), nullptr, 10);
    left_ = length - std::min<size_t>(length, head_.size() - end - 4);
    return true;
  }

  void ended(bool well) {
    out_.took_us.push_back(std::chrono::duration_cast<std::chrono::microseconds>(clock::now() - begin_).count());
    if (!well) {
      ++out_.failed;
      error ignored;
      socket_.close(ignored);
    }
    rest(std::chrono::milliseconds{what_.pause_ms});
  }

  const polling& what_;
  std::vector<std::string> requests_;
  tally& out_;
  tcp::socket socket_;
  asio::steady_timer timer_;
  std::string head_;
  std::optional<size_t> left_; // remaining bytes of the answer's body
  clock::time_point begin_;
  size_t next_ = 0;
};

double cpu_seconds() {
  rusage used{};
  ::getrusage(RUSAGE_SELF, &used);
  const auto seconds = [](const timeval& t) {
    return static_cast<double>(t.tv_sec) + 1e-6 * static_cast<double>(t.tv_usec);
  };
  return seconds(used.ru_utime) + seconds(used.ru_stime);
}

} // namespace

int poll(const polling& what) {
  std::ifstream file{what.token_file};
  std::string token;
  std::getline(file, token);
  asio::io_context io;
  tally out;
  for (uint64_t c = 0; c < what.clients; ++c) // spreads the clients' first requests
    std::make_shared<client>(io, what, token, out)->start(std::chrono::milliseconds{what.pause_ms * c / what.clients});
  asio::posix::stream_descriptor input{io, ::dup(STDIN_FILENO)};
  std::array<char, 64> said{};
  asio::async_read(input, asio::buffer(said), [&io](error, size_t) { io.stop(); });
  io.run();
  return print({{"took_us", out.took_us}, {"failed", out.failed}, {"cpu_s", cpu_seconds()}});
}

} // namespace kevolve::bench
