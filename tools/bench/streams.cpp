// Measures many simultaneous model answers over real connections to a local server in another process, which streams
// like a model. Reports the node's own time per call and memory per stream.
#include "runtime/base/ids.hpp"
#include "runtime/node/node.hpp"
#include "tools/bench/report.hpp"
#include "tools/command_line/command_line.hpp"

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/read_until.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/thread_pool.hpp>
#include <boost/asio/write.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http/read.hpp>
#include <boost/beast/http/string_body.hpp>
#include <caf/event_based_actor.hpp>
#include <caf/scoped_actor.hpp>
#include <fmt/core.h>

#include <fcntl.h>
#include <linux/net_tstamp.h>
#include <malloc.h>
#include <poll.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cmath>
#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <memory>
#include <random>
#include <string>
#include <thread>
#include <vector>

namespace kevolve::bench {

namespace {

namespace asio = boost::asio;
namespace http = boost::beast::http;
using asio::ip::tcp;
using std::chrono::steady_clock;

struct plan {
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

int64_t now_ns() {
  return steady_clock::now().time_since_epoch().count();
}

// --- the server ------------------------------------------------------------------------------------------

std::string event(const std::string& content) {
  return "data: "
         + json{{"id", "c"},
                {"model", "scripted"},
                {"choices", {{{"index", 0}, {"delta", {{"content", content}}}, {"finish_reason", nullptr}}}}}
               .dump()
         + "\n\n";
}

// The time at which the server's kernel sent the last piece of each answer, by the answer's number. Shared by both
// processes.
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
void serve(tcp::socket accepted, const plan& p, sent_times& sent, std::atomic<size_t>& answers) {
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

// A separate process, so that its time and memory are not counted as ours. It ends with this one.
class server {
public:
  server(const plan& p, sent_times& sent) {
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
  ~server() {
    if (pid_ > 0) {
      kill(pid_, SIGKILL);
      waitpid(pid_, nullptr, 0);
    }
  }
  server(const server&) = delete;
  server& operator=(const server&) = delete;

  uint16_t port() const { return port_; } // 0: it did not start

private:
  pid_t pid_ = -1;
  uint16_t port_ = 0;
};

// --- the client ------------------------------------------------------------------------------------------

double resident_kib() {
  std::ifstream in{"/proc/self/statm"};
  double pages = 0.0;
  in >> pages >> pages;
  return pages * static_cast<double>(sysconf(_SC_PAGESIZE)) / 1024.0;
}

double processor_ms() {
  timespec t{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) * 1e3 + static_cast<double>(t.tv_nsec) / 1e6;
}

// Returns the number after a word of the server in an answer; 0 if there is none.
int64_t told(const std::string& text, const std::string& word) {
  const auto at = text.find(word + " ");
  return at == std::string::npos ? 0 : std::strtoll(text.c_str() + at + word.size() + 1, nullptr, 10);
}

struct answered {
  int64_t asked_ns;
  int64_t begun_ns; // the server has received the question
  size_t number;
  int64_t stored_ns;
};

struct measured {
  std::vector<answered> answers;
  double most_resident_kib = 0.0;
  std::string failed; // the first failure

  void add(const std::string& answer, int64_t asked_ns) {
    const answered a{asked_ns, told(answer, "begun"), static_cast<size_t>(told(answer, "numbered")), now_ns()};
    if (a.begun_ns != 0 && a.number != 0)
      answers.push_back(a);
    else if (failed.empty())
      failed = "an answer without the server's words";
  }
};

struct shares {
  std::vector<double> before_ms; // from the question to the server
  std::vector<double> after_ms;  // from the server's last piece to the stored answer
  std::vector<double> own_ms;    // the sum of both
};

shares shares_of(const measured& m, const sent_times& sent) {
  shares out;
  for (const auto& a : m.answers) {
    while (sent.of(a.number) == 0) // the server may wait for a core before it records the time
      std::this_thread::sleep_for(std::chrono::milliseconds{1});
    out.before_ms.push_back(static_cast<double>(a.begun_ns - a.asked_ns) / 1e6);
    out.after_ms.push_back(static_cast<double>(a.stored_ns - sent.of(a.number)) / 1e6);
    out.own_ms.push_back(out.before_ms.back() + out.after_ms.back());
  }
  return out;
}

// Returns the time of the first question of each stream. The streams start spread out, as in a campaign, and not in
// step with each other's pieces.
std::chrono::microseconds first_of(const plan& p, int stream) {
  constexpr double golden = 0.6180339887498949; // its multiples are evenly spread modulo 1
  const std::chrono::microseconds piece{1'000 * p.every_ms};
  const auto within = std::fmod(golden * stream, 1.0) * static_cast<double>(piece.count());
  return piece * p.pieces * stream / p.at_once + std::chrono::microseconds{static_cast<int64_t>(within)};
}

// Returns text that compresses little, different for each seed.
std::string prose(size_t bytes, uint64_t seed) {
  std::mt19937_64 random{seed};
  std::string out;
  while (out.size() < bytes)
    out += fmt::format("{:x} ", random() >> (random() % 48));
  return out;
}

model_question question(const plan& p, const id128& campaign, uint64_t node) {
  model_question q;
  q.record.id = {campaign, node, 0, 0};
  q.record.kind = "llm";
  const auto half = static_cast<size_t>(p.prompt_kib) * 512;
  static const auto stem = prose(half, 0); // made once, outside the calls
  static const auto rest = prose(half, 1);
  q.turns = {{"system", stem}, {"user", std::to_string(node) + rest}};
  q.rules.current = {{"candidate.c", "void f(void) { g(); }\n"}};
  q.rules.entry = "f";
  q.terms.reply_tokens = 4'000;
  return q;
}

caf::behavior asker(caf::event_based_actor* self, const models_actor& models, const plan& p, const id128& campaign,
                    const std::shared_ptr<measured>& out, const caf::actor& done) {
  const auto begun = std::make_shared<int>(0);
  const auto ended = std::make_shared<int>(0);
  const auto ask = std::make_shared<std::function<void()>>();
  *ask = [=, weak = std::weak_ptr{ask}] {
    if (*begun == p.calls)
      return;
    auto q = question(p, campaign, static_cast<uint64_t>(++*begun));
    const auto asked = now_ns();
    const auto next = [=, again = weak.lock()] {
      out->most_resident_kib = std::max(out->most_resident_kib, resident_kib());
      (*again)();
      if (++*ended == p.calls)
        caf::anon_send(done, true);
    };
    self->request(models, caf::infinite, atom::ask_v, std::move(q))
        .then(
            [=](const model_reply& r) {
              out->add(r.text, asked);
              next();
            },
            [=](const caf::error& e) {
              if (out->failed.empty())
                out->failed = to_string(to_failure(e));
              next();
            });
  };
  for (int i = 0; i < p.at_once; ++i)
    self->delayed_send(self, first_of(p, i), true);
  return {[ask](bool) { (*ask)(); }};
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
  bare_stream(asio::io_context& io, disk& where, const plan& p, uint16_t port, measured& out, int& left)
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
  measured& out_;
  int& left_; // remaining calls of all streams
  std::string request_;
  std::string answer_;
  int64_t asked_ns_ = 0;
  boost::system::error_code failed_;
};

measured floor_of(const plan& p, uint16_t port) {
  asio::io_context io;
  measured out;
  int left = p.calls;
  disk where{p.data + ".floor"}; // beside the folder, which the node must create itself
  for (int i = 0; i < p.at_once; ++i)
    std::make_shared<bare_stream>(io, where, p, port, out, left)->begin(first_of(p, i));
  io.run();
  return out;
}

json spread(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const auto at = [&](double share) {
    return values.empty() ? 0.0 : values[static_cast<size_t>(share * static_cast<double>(values.size() - 1))];
  };
  return {{"median", at(0.5)}, {"p99", at(0.99)}, {"most", at(1.0)}};
}

result<json> run(const plan& p, uint16_t port, const sent_times& sent) {
  node_options options;
  options.data_dir = p.data;
  options.targets = {};
  options.listen = "";
  provider_spec spec;
  spec.name = "scripted";
  spec.kind = "openai-chat";
  spec.model = "scripted";
  spec.url = "http://127.0.0.1:" + std::to_string(port) + "/v1";
  spec.at_once = p.at_once;
  options.providers = {spec};
  const auto floor = floor_of(p, port);
  if (!floor.failed.empty())
    return fail(errc::unavailable, "a bare call failed: " + floor.failed);
  auto n = node::start(options);
  if (!n)
    return tl::unexpected(n.error());
  caf::scoped_actor self{(*n)->system()};
  const auto all = [&](const plan& what, const std::string& campaign) {
    auto out = std::make_shared<measured>();
    (*n)->system().spawn([&](caf::event_based_actor* a) {
      return asker(a, (*n)->models(), what, derive_id("campaign", campaign), out, caf::actor_cast<caf::actor>(self));
    });
    self->receive([](bool) {});
    return out;
  };
  auto first = p; // opens the connections, reaches full concurrency and makes first-time allocations
  first.calls = 4 * p.at_once;
  if (const auto warm = all(first, "warm"); !warm->failed.empty())
    return fail(errc::unavailable, "a call failed: " + warm->failed);
  malloc_trim(0);
  const auto idle = resident_kib();
  const auto processor = processor_ms();
  const auto begin = steady_clock::now();
  const auto out = all(p, "measured");
  const std::chrono::duration<double> took = steady_clock::now() - begin;
  const auto spent_ms = processor_ms() - processor;
  if (!out->failed.empty())
    return fail(errc::unavailable, "a call failed: " + out->failed);
  const auto own = shares_of(*out, sent);
  return json{{"benchmark", "streams"},
              {"machine", machine()},
              {"calls", p.calls},
              {"at_once", p.at_once},
              {"pieces", p.pieces},
              {"piece_every_ms", p.every_ms},
              {"prompt_kib", p.prompt_kib},
              {"server_apart", p.server_apart},
              {"took_s", took.count()},
              {"before_ms", spread(own.before_ms)},
              {"after_ms", spread(own.after_ms)},
              {"own_ms", spread(own.own_ms)},
              {"floor_ms", spread(shares_of(floor, sent).own_ms)},
              {"processor_ms_a_call", spent_ms / p.calls},
              {"idle_kib", idle},
              {"most_kib", out->most_resident_kib},
              {"kib_a_stream", (out->most_resident_kib - idle) / p.at_once}};
}

} // namespace

} // namespace kevolve::bench

int main(int argc, char** argv) {
  using namespace kevolve::bench;
  plan p;
  kevolve::declared_program app{"Many answers of a model at once"};
  app.add_option("--data", p.data, "an empty folder for a node")->required();
  app.add_option("--calls", p.calls)->capture_default_str();
  app.add_option("--at-once", p.at_once)->capture_default_str();
  app.add_option("--pieces", p.pieces, "of an answer")->capture_default_str();
  app.add_option("--every", p.every_ms, "milliseconds between them")->capture_default_str();
  app.add_option("--prompt-kib", p.prompt_kib)->capture_default_str();
  app.add_flag("!--server-competes", p.server_apart, "the server has equal parts of the node's cores");
  if (const auto ended = app.ended_by(argc, argv))
    return *ended;
  const auto calls = static_cast<size_t>(p.calls);
  const auto answers = 2 * calls + 5 * static_cast<size_t>(p.at_once); // floor calls, warm-up calls and measured calls
  sent_times sent{answers + 1};
  const server other{p, sent}; // forked before there are threads
  if (other.port() == 0)
    return give_up("the server did not start");
  if (p.calls < p.at_once)
    return give_up("--calls must be at least --at-once");
  auto measured = run(p, other.port(), sent);
  return measured ? print(*measured) : give_up(to_string(measured.error()));
}
