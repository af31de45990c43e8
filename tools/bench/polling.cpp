#include "tools/bench/polling.hpp"

#include "tools/bench/report.hpp"

#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/read.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http.hpp>

#include <sys/resource.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <fstream>
#include <iostream>
#include <memory>
#include <optional>

namespace kevolve::bench {

namespace {

namespace asio = boost::asio;
namespace http = boost::beast::http;
using asio::ip::tcp;
using clock = std::chrono::steady_clock;
using error = boost::system::error_code;

struct tally {
  std::vector<int64_t> took_us;
  uint64_t failed = 0;
};

class client : public std::enable_shared_from_this<client> {
public:
  client(asio::io_context& io, const polling& what, std::string token, tally& out)
      : what_(what), token_(std::move(token)), out_(out), socket_(io), timer_(io) {}

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
    error e;
    if (!socket_.is_open())
      socket_.connect({asio::ip::address_v4::loopback(), what_.port}, e);
    if (e) {
      ended(false);
      return;
    }
    request_ = {http::verb::get, what_.paths[next_++ % what_.paths.size()], 11};
    request_.set(http::field::host, "127.0.0.1:" + std::to_string(what_.port));
    request_.set(http::field::authorization, "Bearer " + token_);
    answer_.emplace();
    answer_->body_limit(uint64_t{64} << 20U);
    http::async_write(socket_, request_, [self = shared_from_this()](error failed, size_t) {
      if (failed)
        self->ended(false);
      else
        http::async_read(self->socket_, self->buffer_, *self->answer_, [self](error wrong, size_t) {
          self->ended(!wrong && self->answer_->get().result() == http::status::ok);
        });
    });
  }

  void ended(bool well) {
    out_.took_us.push_back(std::chrono::duration_cast<std::chrono::microseconds>(clock::now() - begin_).count());
    if (!well) {
      ++out_.failed;
      error ignored;
      socket_.close(ignored);
      buffer_.clear();
    }
    rest(std::chrono::milliseconds{what_.pause_ms});
  }

  const polling& what_;
  std::string token_;
  tally& out_;
  tcp::socket socket_;
  asio::steady_timer timer_;
  boost::beast::flat_buffer buffer_;
  http::request<http::empty_body> request_;
  std::optional<http::response_parser<http::string_body>> answer_;
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
  for (uint64_t c = 0; c < what.clients; ++c) // they do not all ask at one moment
    std::make_shared<client>(io, what, token, out)->start(std::chrono::milliseconds{what.pause_ms * c / what.clients});
  asio::posix::stream_descriptor input{io, ::dup(STDIN_FILENO)};
  std::array<char, 64> said{};
  asio::async_read(input, asio::buffer(said), [&io](error, size_t) { io.stop(); });
  io.run();
  return print({{"took_us", out.took_us}, {"failed", out.failed}, {"cpu_s", cpu_seconds()}});
}

} // namespace kevolve::bench
