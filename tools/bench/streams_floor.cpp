#include "tools/bench/streams_floor.hpp"

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/read_until.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/thread_pool.hpp>
#include <boost/asio/write.hpp>
#include <fmt/core.h>

#include <fcntl.h>
#include <unistd.h>

#include <cmath>
#include <cstdlib>
#include <memory>

namespace kevolve::bench {

namespace {

namespace asio = boost::asio;
using asio::ip::tcp;

// Returns the number after a word of the server in an answer; 0 if there is none.
int64_t told(const std::string& text, const std::string& word) {
  const auto at = text.find(word + " ");
  return at == std::string::npos ? 0 : std::strtoll(text.c_str() + at + word.size() + 1, nullptr, 10);
}

// A file to which a separate thread appends questions and answers, with a sync for each.
class disk {
public:
  explicit disk(const std::string& path)
      : path_(path), fd_(open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600)) {}
  ~disk() {
    thread_.join();
    close(fd_);
    unlink(path_.c_str());
  }
  disk(const disk&) = delete;
  disk& operator=(const disk&) = delete;

  bool store(const std::string& bytes) const {
    return write(fd_, bytes.data(), bytes.size()) == static_cast<ssize_t>(bytes.size()) && fdatasync(fd_) == 0;
  }
  asio::thread_pool& thread() { return thread_; }

private:
  std::string path_;
  int fd_;
  asio::thread_pool thread_{1};
};

// The same streams with a minimal client: it stores the question, sends it, reads the answer and stores that. The
// remaining time is the machine's own, for disk and scheduling under the same load.
class bare_stream : public std::enable_shared_from_this<bare_stream> {
public:
  bare_stream(asio::io_context& io, disk& where, const stream_plan& p, uint16_t port, measured_streams& out, int& left)
      : io_(io), socket_(io), timer_(io), disk_(where), port_(port), out_(out), left_(left) {
    const std::string body(static_cast<size_t>(p.prompt_kib) * 1024, 'x');
    request_ = fmt::format("POST /v1/chat/completions HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-length: {}\r\n\r\n{}",
                           body.size(), body);
  }
  void begin(std::chrono::microseconds in) {
    timer_.expires_after(in);
    timer_.async_wait([self = shared_from_this()](boost::system::error_code) {
      self->socket_.connect({asio::ip::address_v4::loopback(), self->port_}, self->failed_);
      self->socket_.set_option(tcp::no_delay{true}, self->failed_);
      self->ask();
    });
  }

private:
  void ask() {
    if (failed_ && out_.failed.empty())
      out_.failed = failed_.message();
    if (failed_ || left_-- <= 0)
      return;
    asked_ns_ = now_ns();
    answer_.clear();
    stored(request_, [self = shared_from_this()] {
      asio::write(self->socket_, asio::buffer(self->request_), self->failed_);
      self->listen();
    });
  }
  void listen() {
    asio::async_read_until(socket_, asio::dynamic_buffer(answer_), "\r\n0\r\n\r\n",
                           [self = shared_from_this()](boost::system::error_code e, size_t) {
                             self->failed_ = e;
                             self->stored(self->answer_, [self] {
                               self->out_.add(self->answer_, self->asked_ns_);
                               self->ask();
                             });
                           });
  }
  template <class Then>
  void stored(const std::string& bytes, Then then) {
    asio::post(disk_.thread(), [&bytes, then, self = shared_from_this(), work = asio::make_work_guard(io_)] {
      const bool well = self->disk_.store(bytes);
      asio::post(self->io_, [self, well, then] {
        if (!well)
          self->failed_ = boost::system::errc::make_error_code(boost::system::errc::io_error);
        then();
      });
    });
  }

  asio::io_context& io_;
  tcp::socket socket_;
  asio::steady_timer timer_;
  disk& disk_;
  uint16_t port_;
  measured_streams& out_;
  int& left_; // remaining calls of all streams
  std::string request_;
  std::string answer_;
  int64_t asked_ns_ = 0;
  boost::system::error_code failed_;
};

} // namespace

void measured_streams::add(const std::string& answer, int64_t asked_ns) {
  const stream_answer a{asked_ns, told(answer, "begun"), static_cast<size_t>(told(answer, "numbered")), now_ns()};
  if (a.begun_ns != 0 && a.number != 0)
    answers.push_back(a);
  else if (failed.empty())
    failed = "an answer without the server's words";
}

std::chrono::microseconds first_of(const stream_plan& p, int stream) {
  constexpr double golden = 0.6180339887498949; // its multiples are evenly spread modulo 1
  const std::chrono::microseconds piece{1'000 * p.every_ms};
  const auto within = std::fmod(golden * stream, 1.0) * static_cast<double>(piece.count());
  return piece * p.pieces * stream / p.at_once + std::chrono::microseconds{static_cast<int64_t>(within)};
}

measured_streams floor_of(const stream_plan& p, uint16_t port) {
  asio::io_context io;
  measured_streams out;
  int left = p.calls;
  disk where{p.data + ".floor"}; // beside the folder, which the node must create itself
  for (int i = 0; i < p.at_once; ++i)
    std::make_shared<bare_stream>(io, where, p, port, out, left)->begin(first_of(p, i));
  io.run();
  return out;
}

} // namespace kevolve::bench
