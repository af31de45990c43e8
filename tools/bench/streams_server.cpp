#include "tools/bench/streams_server.hpp"

#include "tools/bench/report.hpp"

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/write.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http/read.hpp>
#include <boost/beast/http/string_body.hpp>
#include <fmt/core.h>

#include <fcntl.h>
#include <linux/net_tstamp.h>
#include <poll.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <cstring>
#include <functional>
#include <thread>
#include <utility>

namespace kevolve::bench {

namespace {

namespace asio = boost::asio;
namespace http = boost::beast::http;
using asio::ip::tcp;
using std::chrono::steady_clock;

std::string event(const std::string& content) {
  return "data: "
         + json{{"id", "c"},
                {"model", "scripted"},
                {"choices", {{{"index", 0}, {"delta", {{"content", content}}}, {"finish_reason", nullptr}}}}}
               .dump()
         + "\n\n";
}

int64_t steady_of(const timespec& wall) {
  const auto wall_ns = std::chrono::system_clock::now().time_since_epoch().count();
  return now_ns() - (wall_ns - (int64_t{1'000'000'000} * wall.tv_sec + wall.tv_nsec));
}

// Returns the kernel's time of reception, or of sending when the error queue is read. Steady clock; 0: none.
int64_t stamp_of(msghdr& message) {
  for (auto* c = CMSG_FIRSTHDR(&message); c != nullptr; c = CMSG_NXTHDR(&message, c))
    if (c->cmsg_level == SOL_SOCKET && c->cmsg_type == SCM_TIMESTAMPING) {
      timespec stamp{};
      std::memcpy(&stamp, CMSG_DATA(c), sizeof stamp);
      return steady_of(stamp);
    }
  return 0;
}

// A connection with the kernel's time stamps of its last bytes received or sent. These do not depend on when this
// process gets a core.
class stamped_socket {
public:
  explicit stamped_socket(tcp::socket socket) : socket_(std::move(socket)) {
    constexpr int software = SOF_TIMESTAMPING_RX_SOFTWARE | SOF_TIMESTAMPING_SOFTWARE | SOF_TIMESTAMPING_OPT_TSONLY;
    setsockopt(socket_.native_handle(), SOL_SOCKET, SO_TIMESTAMPING, &software, sizeof software);
  }

  // Sends a piece that fits one packet. Returns the time at which it was sent; 0 if it was not.
  int64_t send_last(const std::string& bytes) {
    const uint32_t wanted = SOF_TIMESTAMPING_TX_SOFTWARE;
    iovec what{const_cast<char*>(bytes.data()), bytes.size()};
    alignas(cmsghdr) std::array<char, CMSG_SPACE(sizeof wanted)> control{};
    msghdr message{};
    message.msg_iov = &what;
    message.msg_iovlen = 1;
    message.msg_control = control.data();
    message.msg_controllen = control.size();
    auto* ask = CMSG_FIRSTHDR(&message);
    ask->cmsg_level = SOL_SOCKET;
    ask->cmsg_type = SO_TIMESTAMPING;
    ask->cmsg_len = CMSG_LEN(sizeof wanted);
    std::memcpy(CMSG_DATA(ask), &wanted, sizeof wanted);
    if (sendmsg(socket_.native_handle(), &message, MSG_NOSIGNAL) != static_cast<ssize_t>(bytes.size()))
      return 0;
    pollfd gone{socket_.native_handle(), 0, 0}; // errors are always reported
    constexpr int longest_ms = 1'000;
    if (poll(&gone, 1, longest_ms) != 1)
      return 0;
    alignas(cmsghdr) std::array<char, 512> told{};
    msghdr stamp{};
    stamp.msg_control = told.data();
    stamp.msg_controllen = told.size();
    return recvmsg(socket_.native_handle(), &stamp, MSG_ERRQUEUE) < 0 ? 0 : stamp_of(stamp);
  }

  template <class Buffers>
  size_t read_some(const Buffers& buffers, boost::system::error_code& error) {
    const asio::mutable_buffer first = *asio::buffer_sequence_begin(buffers);
    iovec where{first.data(), first.size()};
    alignas(cmsghdr) std::array<char, 256> control{};
    msghdr message{};
    message.msg_iov = &where;
    message.msg_iovlen = 1;
    message.msg_control = control.data();
    message.msg_controllen = control.size();
    const auto n = recvmsg(socket_.native_handle(), &message, 0);
    error = n > 0 ? boost::system::error_code{} : asio::error::eof;
    const auto stamp = stamp_of(message);
    last_ns_ = stamp != 0 ? stamp : now_ns(); // without a stamp, the bytes arrived before the kernel was asked for one
    return n > 0 ? static_cast<size_t>(n) : 0;
  }

  template <class Buffers>
  size_t read_some(const Buffers& buffers) {
    boost::system::error_code error;
    const auto n = read_some(buffers, error);
    if (error)
      throw boost::system::system_error{error};
    return n;
  }

  tcp::socket& plain() { return socket_; }
  int64_t last_ns() const { return last_ns_; } // steady clock

private:
  tcp::socket socket_;
  int64_t last_ns_ = 0;
};

// Serves a connection. Each request is answered in pieces. The first piece contains the time of the request, the last
// one the answer's number.
void serve(tcp::socket accepted, const stream_plan& p, sent_times& sent, std::atomic<size_t>& answers) {
  boost::beast::flat_buffer buffer;
  accepted.set_option(tcp::no_delay{true});
  stamped_socket socket{std::move(accepted)};
  for (boost::system::error_code gone; !gone;) { // until the client disconnects
    http::request<http::string_body> request;
    if (http::read(socket, buffer, request, gone); gone)
      return;
    const auto begun = socket.last_ns();
    auto next = steady_clock::now();
    std::string out = "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n";
    const auto chunk = [&](const std::string& text) { out += fmt::format("{:x}\r\n{}\r\n", text.size(), text); };
    chunk(event(fmt::format("begun {}\n```c candidate.c\n", begun)));
    for (int i = 0; i < p.pieces && !gone; ++i) {
      chunk(event(fmt::format("/* piece {} of an answer */\n", i)));
      asio::write(socket.plain(), asio::buffer(out), gone);
      out.clear();
      next += std::chrono::milliseconds{p.every_ms};
      std::this_thread::sleep_until(next);
    }
    chunk(event("void f(void) {}\n```\n"));
    chunk("data: "
          + json{{"id", "c"},
                 {"model", "scripted"},
                 {"choices", {{{"index", 0}, {"delta", json::object()}, {"finish_reason", "stop"}}}},
                 {"usage", {{"prompt_tokens", 8'000}, {"completion_tokens", 1'000}}}}
                .dump()
          + "\n\n");
    const auto number = ++answers;
    chunk(event(fmt::format("numbered {}", number)));
    chunk("data: [DONE]\n\n");
    out += "0\r\n\r\n";
    const auto at = sent.holds(number) ? socket.send_last(out) : 0;
    if (at == 0)
      return;
    sent.put(number, at);
  }
}

} // namespace

stream_server::stream_server(const stream_plan& p, sent_times& sent) {
  std::array<int, 2> port{};
  if (pipe2(port.data(), O_CLOEXEC) != 0)
    return;
  pid_ = fork();
  if (pid_ == 0) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    const sched_param none{};
    if (p.server_apart && sched_setscheduler(0, SCHED_IDLE, &none) != 0)
      _exit(1);
    asio::io_context io;
    tcp::acceptor acceptor{io, {asio::ip::address_v4::loopback(), 0}};
    acceptor.listen(4096);
    const uint16_t number = acceptor.local_endpoint().port();
    if (write(port[1], &number, sizeof number) != static_cast<ssize_t>(sizeof number))
      _exit(1);
    std::atomic<size_t> answers{0};
    for (;;)
      std::thread{serve, acceptor.accept(), p, std::ref(sent), std::ref(answers)}.detach();
  }
  close(port[1]);
  if (read(port[0], &port_, sizeof port_) != static_cast<ssize_t>(sizeof port_))
    port_ = 0;
  close(port[0]);
}

stream_server::~stream_server() {
  if (pid_ > 0) {
    kill(pid_, SIGKILL);
    waitpid(pid_, nullptr, 0);
  }
}

} // namespace kevolve::bench
