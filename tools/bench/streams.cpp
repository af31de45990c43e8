// Many answers of a model at once, over real connections to a server of our own in another process that streams as a
// model does: what a node takes of each call itself, and what a stream costs it in memory.
#include "runtime/base/ids.hpp"
#include "runtime/node/node.hpp"
#include "tools/bench/report.hpp"

#include <CLI/CLI.hpp>

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/write.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http/read.hpp>
#include <boost/beast/http/string_body.hpp>
#include <caf/event_based_actor.hpp>
#include <caf/scoped_actor.hpp>
#include <fmt/core.h>

#include <fcntl.h>
#include <malloc.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <cstdlib>
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
  int every_ms = 20;   // a piece
  int prompt_kib = 32; // of each question
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

// A connection, each request of which is answered by pieces; the first tells when the request was there, the last when
// it was sent itself.
void serve(tcp::socket socket, const plan& p) {
  boost::beast::flat_buffer buffer;
  socket.set_option(tcp::no_delay{true});
  for (boost::system::error_code gone; !gone;) { // until the client has
    http::request<http::string_body> request;
    if (http::read(socket, buffer, request, gone); gone)
      return;
    auto next = steady_clock::now();
    std::string out = "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n";
    const auto chunk = [&](const std::string& text) { out += fmt::format("{:x}\r\n{}\r\n", text.size(), text); };
    chunk(event(fmt::format("begun {}\n```c candidate.c\n", now_ns())));
    for (int i = 0; i < p.pieces && !gone; ++i) {
      chunk(event(fmt::format("/* piece {} of an answer */\n", i)));
      asio::write(socket, asio::buffer(out), gone);
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
    chunk(event(fmt::format("ended {}", now_ns())));
    chunk("data: [DONE]\n\n");
    out += "0\r\n\r\n";
    asio::write(socket, asio::buffer(out), gone);
  }
}

// A process of its own, so that its time and memory are not ours; it ends with us.
class server {
public:
  explicit server(const plan& p) {
    std::array<int, 2> port{};
    if (pipe2(port.data(), O_CLOEXEC) != 0)
      return;
    pid_ = fork();
    if (pid_ == 0) {
      prctl(PR_SET_PDEATHSIG, SIGKILL);
      asio::io_context io;
      tcp::acceptor acceptor{io, {asio::ip::address_v4::loopback(), 0}};
      acceptor.listen(4096);
      const uint16_t number = acceptor.local_endpoint().port();
      if (write(port[1], &number, sizeof number) != static_cast<ssize_t>(sizeof number))
        _exit(1);
      for (;;)
        std::thread{serve, acceptor.accept(), p}.detach();
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

// What follows a word of the server's in an answer; 0: nothing.
int64_t told(const std::string& text, const std::string& word) {
  const auto at = text.find(word + " ");
  return at == std::string::npos ? 0 : std::strtoll(text.c_str() + at + word.size() + 1, nullptr, 10);
}

struct measured {
  std::vector<double> before_ms; // from the question to the server
  std::vector<double> after_ms;  // from the server's last piece to the answer, which is stored by then
  std::vector<double> own_ms;    // both
  double most_resident_kib = 0.0;
  std::string failed; // the first
};

// Text that does not compress to nothing; another one for each seed.
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
  q.turns = {{"system", prose(half, 0)}, {"user", prose(half, node)}};
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
              const auto begun_ns = told(r.text, "begun");
              const auto ended_ns = told(r.text, "ended");
              if ((begun_ns == 0 || ended_ns == 0) && out->failed.empty())
                out->failed = "an answer without the server's times";
              const auto before = static_cast<double>(begun_ns - asked) / 1e6;
              const auto after = static_cast<double>(now_ns() - ended_ns) / 1e6;
              out->before_ms.push_back(before);
              out->after_ms.push_back(after);
              out->own_ms.push_back(before + after);
              next();
            },
            [=](const caf::error& e) {
              if (out->failed.empty())
                out->failed = to_string(to_failure(e));
              next();
            });
  };
  // As they come in a campaign: not all at one moment, and then all for ever.
  for (int i = 0; i < p.at_once; ++i)
    self->delayed_send(self, std::chrono::milliseconds{p.pieces} * p.every_ms * i / p.at_once, true);
  return {[ask](bool) { (*ask)(); }};
}

json spread(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const auto at = [&](double share) {
    return values.empty() ? 0.0 : values[static_cast<size_t>(share * static_cast<double>(values.size() - 1))];
  };
  return {{"median", at(0.5)}, {"p99", at(0.99)}, {"most", at(1.0)}};
}

// What storing alone costs here: so many bytes written and synced, one after the other, where the store lies.
json floor_of_storing(const plan& p) {
  std::vector<double> took;
  const auto path = p.data + "/floor";
  const auto fd = open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
  const std::string bytes(8'192, 'x');
  for (int i = 0; fd >= 0 && i < 200; ++i) {
    const auto begin = now_ns();
    if (write(fd, bytes.data(), bytes.size()) < 0 || fdatasync(fd) != 0)
      break;
    took.push_back(static_cast<double>(now_ns() - begin) / 1e6);
  }
  close(fd);
  unlink(path.c_str());
  return spread(std::move(took));
}

result<json> run(const plan& p, uint16_t port) {
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
  auto first = p; // connections are there, as many calls at once as may be, and what a first call allocates
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
  return json{{"benchmark", "streams"},
              {"machine", machine()},
              {"calls", p.calls},
              {"at_once", p.at_once},
              {"pieces", p.pieces},
              {"piece_every_ms", p.every_ms},
              {"prompt_kib", p.prompt_kib},
              {"took_s", took.count()},
              {"before_ms", spread(out->before_ms)},
              {"after_ms", spread(out->after_ms)},
              {"own_ms", spread(out->own_ms)},
              {"storing_floor_ms", floor_of_storing(p)},
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
  CLI::App app{"Many answers of a model at once"};
  app.add_option("--data", p.data, "an empty folder for a node")->required();
  app.add_option("--calls", p.calls)->capture_default_str();
  app.add_option("--at-once", p.at_once)->capture_default_str();
  app.add_option("--pieces", p.pieces, "of an answer")->capture_default_str();
  app.add_option("--every", p.every_ms, "milliseconds between them")->capture_default_str();
  app.add_option("--prompt-kib", p.prompt_kib)->capture_default_str();
  CLI11_PARSE(app, argc, argv);
  const server other{p}; // forked before there are threads
  if (other.port() == 0)
    return give_up("the server did not start");
  if (p.calls < p.at_once)
    return give_up("--calls must be at least --at-once");
  auto measured = run(p, other.port());
  return measured ? print(*measured) : give_up(to_string(measured.error()));
}
