#include "tools/bench/still_server.hpp"

#include "tools/bench/report.hpp"

#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/read.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http.hpp>

#include <unistd.h>

#include <array>
#include <fstream>
#include <iostream>
#include <map>
#include <memory>
#include <optional>
#include <string>

namespace kevolve::bench {

namespace {

namespace asio = boost::asio;
namespace http = boost::beast::http;
using asio::ip::tcp;
using error = boost::system::error_code;
using pages = std::map<std::string, std::string>;

std::optional<pages> taken_from(const polling& what) {
  std::ifstream file{what.token_file};
  std::string token;
  std::getline(file, token);
  asio::io_context io;
  tcp::socket socket{io};
  error e;
  socket.connect({asio::ip::address_v4::loopback(), what.port}, e);
  boost::beast::flat_buffer buffer;
  pages out;
  for (const auto& path : what.paths) {
    http::request<http::empty_body> q{http::verb::get, path, 11};
    q.set(http::field::host, "127.0.0.1:" + std::to_string(what.port));
    q.set(http::field::authorization, "Bearer " + token);
    http::response_parser<http::string_body> answer;
    answer.body_limit(uint64_t{64} << 20U);
    if (!e)
      http::write(socket, q, e);
    if (!e)
      http::read(socket, buffer, answer, e);
    if (e || answer.get().result() != http::status::ok)
      return std::nullopt;
    out[path] = answer.get().body();
  }
  return out;
}

class connection : public std::enable_shared_from_this<connection> {
public:
  connection(tcp::socket socket, const pages& known) : socket_(std::move(socket)), known_(known) {}

  void read() {
    request_ = {};
    http::async_read(socket_, buffer_, request_, [self = shared_from_this()](error e, size_t) {
      if (!e)
        self->answer();
    });
  }

private:
  void answer() {
    const auto found = known_.find(std::string{request_.target()});
    response_ = {found == known_.end() ? http::status::not_found : http::status::ok, 11};
    response_.set(http::field::content_type, "application/json");
    response_.body() = found == known_.end() ? std::string{} : found->second;
    response_.prepare_payload();
    http::async_write(socket_, response_, [self = shared_from_this()](error e, size_t) {
      if (!e)
        self->read();
    });
  }

  tcp::socket socket_;
  const pages& known_;
  boost::beast::flat_buffer buffer_;
  http::request<http::empty_body> request_;
  http::response<http::string_body> response_;
};

void accept(tcp::acceptor& from, const pages& known) {
  from.async_accept([&](error e, tcp::socket socket) {
    if (e)
      return;
    std::make_shared<connection>(std::move(socket), known)->read();
    accept(from, known);
  });
}

} // namespace

int serve_still(const polling& what) {
  const auto known = taken_from(what);
  if (!known)
    return give_up("the node does not answer with every page");
  asio::io_context io{1};
  tcp::acceptor acceptor{io, {asio::ip::address_v4::loopback(), 0}};
  accept(acceptor, *known);
  print({{"port", acceptor.local_endpoint().port()}});
  std::cout.flush();
  asio::posix::stream_descriptor input{io, ::dup(STDIN_FILENO)};
  std::array<char, 64> said{};
  asio::async_read(input, asio::buffer(said), [&io](error, size_t) { io.stop(); });
  io.run();
  return 0;
}

} // namespace kevolve::bench
