#include "tests/support/hostile_provider.hpp"

#include <arpa/inet.h>
#include <netinet/tcp.h>
#include <openssl/ssl.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <condition_variable>
#include <csignal>
#include <cstring>
#include <list>
#include <map>
#include <mutex>
#include <stdexcept>
#include <thread>
#include <utility>

namespace kevolve::test {

namespace {

using tls_context = std::unique_ptr<SSL_CTX, decltype(&SSL_CTX_free)>;

// Also used in a separate process, where no test runs.
void demand(bool holds) {
  if (!holds)
    throw std::runtime_error{"the scripted provider cannot be set up"};
}

// A socket, plain or through TLS.
struct peer {
  explicit peer(int descriptor) : fd(descriptor) {}
  peer(const peer&) = delete;
  peer& operator=(const peer&) = delete;
  ~peer() {
    SSL_free(tls);
    ::close(fd);
  }

  bool handshake(SSL_CTX* context) {
    tls = SSL_new(context);
    SSL_set_fd(tls, fd);
    return SSL_accept(tls) == 1;
  }
  long read(char* to, size_t size) {
    return tls != nullptr ? SSL_read(tls, to, static_cast<int>(size)) : ::recv(fd, to, size, 0);
  }
  bool write(std::string_view bytes) {
    while (!bytes.empty()) {
      const auto n = tls != nullptr ? SSL_write(tls, bytes.data(), static_cast<int>(bytes.size()))
                                    : ::send(fd, bytes.data(), bytes.size(), MSG_NOSIGNAL);
      if (n <= 0)
        return false;
      bytes.remove_prefix(static_cast<size_t>(n));
    }
    return true;
  }
  // Returns whether the client closes within that time; -1: waits without limit.
  bool gone_within(int ms) {
    for (;;) {
      pollfd p{fd, POLLIN, 0};
      if (::poll(&p, 1, ms) == 0)
        return false;
      std::array<char, 256> rest{};
      if (read(rest.data(), rest.size()) <= 0)
        return true;
    }
  }
  void reset_on_close() const {
    const linger now{1, 0};
    ::setsockopt(fd, SOL_SOCKET, SO_LINGER, &now, sizeof now);
  }

  int fd;
  SSL* tls = nullptr;
};

size_t content_length(const std::string& head) {
  const auto at = head.find("\r\ncontent-length: ");
  return at == std::string::npos ? 0 : std::stoul(head.substr(at + 18));
}

// Copies bytes in both directions until one side ends.
void pump(int a, int b) {
  std::array<char, 4096> bytes{};
  for (;;) {
    std::array<pollfd, 2> p{{{a, POLLIN, 0}, {b, POLLIN, 0}}};
    ::poll(p.data(), p.size(), -1);
    for (size_t i = 0; i < 2; ++i) {
      if (p.at(i).revents == 0)
        continue;
      const auto n = ::recv(p.at(i).fd, bytes.data(), bytes.size(), 0);
      if (n <= 0 || ::send(p.at(1 - i).fd, bytes.data(), static_cast<size_t>(n), MSG_NOSIGNAL) != n)
        return;
    }
  }
}

int connect_to(uint16_t port) {
  sockaddr_in to{};
  to.sin_family = AF_INET;
  to.sin_port = htons(port);
  to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  const int fd = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  demand(::connect(fd, reinterpret_cast<const sockaddr*>(&to), sizeof to) == 0);
  return fd;
}

} // namespace

struct hostile_provider::state {
  void accept_all(int listener, const listening& how, SSL_CTX* tls);
  void serve(int fd, const listening& how, SSL_CTX* tls);
  bool read_request(peer& p, std::string& held, seen_request& out);
  // Returns false if the connection has ended.
  bool play(peer& p, const script& s);
  void tunnel(peer& p, const listening& how, const seen_request& asked);

  std::mutex guard;
  std::condition_variable changed;
  std::map<std::string, std::vector<script>> scripts;
  std::map<std::string, size_t> asked;
  std::vector<seen_request> requests;
  std::list<int> open; // descriptors that may be waited on
  std::list<std::thread> threads;
  std::list<tls_context> contexts;
  std::list<listening> ways;
  size_t connections = 0;
  size_t gone = 0;
  size_t played = 0;
  bool gate = false;
  bool ending = false;
};

void hostile_provider::state::accept_all(int listener, const listening& how, SSL_CTX* tls) {
  for (;;) {
    const int fd = ::accept4(listener, nullptr, nullptr, SOCK_CLOEXEC);
    std::lock_guard lock{guard};
    if (fd < 0 || ending) {
      if (fd >= 0)
        ::close(fd);
      return;
    }
    const int on = 1;
    ::setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    ++connections;
    open.push_back(fd);
    threads.emplace_back([this, fd, &how, tls] { serve(fd, how, tls); });
  }
}

void hostile_provider::state::serve(int fd, const listening& how, SSL_CTX* tls) {
  sigset_t all;
  sigfillset(&all);
  pthread_sigmask(SIG_BLOCK, &all, nullptr); // writing to a closed TLS socket raises a signal
  peer p{fd};
  const auto forget = [&](int*) {
    std::lock_guard lock{guard};
    open.remove(fd);
  };
  const std::unique_ptr<int, decltype(forget)> forgotten{&fd, forget};
  if (how.greets == greeting::reset)
    p.reset_on_close();
  if (how.greets == greeting::close || how.greets == greeting::reset)
    return;
  if (how.greets == greeting::mute) {
    p.gone_within(-1);
    return;
  }
  if (how.greets == greeting::speak_plain) {
    p.write("SSH-2.0-OpenSSH_9.2\r\n");
    p.gone_within(-1);
    return;
  }
  if (tls != nullptr && !p.handshake(tls))
    return;
  std::string held;
  for (seen_request q; read_request(p, held, q); q = {}) {
    if (how.greets == greeting::tunnel) {
      tunnel(p, how, q);
      return;
    }
    const auto path = q.head.substr(5, q.head.find('/', 6) - 5); // after "POST "
    script now;
    {
      std::lock_guard lock{guard};
      const auto& all_of = scripts.at(path);
      now = all_of.at(std::min(asked[path]++, all_of.size() - 1));
      requests.push_back(std::move(q));
    }
    if (!play(p, now))
      return;
    std::lock_guard lock{guard};
    ++played;
    changed.notify_all();
  }
  std::lock_guard lock{guard};
  ++gone;
  changed.notify_all();
}

bool hostile_provider::state::read_request(peer& p, std::string& held, seen_request& out) {
  std::array<char, 4096> bytes{};
  for (;;) {
    if (const auto end = held.find("\r\n\r\n"); end != std::string::npos) {
      const auto length = content_length(held.substr(0, end + 2));
      if (held.size() >= end + 4 + length) {
        out = {held.substr(0, end + 2), held.substr(end + 4, length)};
        held.erase(0, end + 4 + length);
        return true;
      }
    }
    const auto n = p.read(bytes.data(), bytes.size());
    if (n <= 0)
      return false;
    held.append(bytes.data(), static_cast<size_t>(n));
  }
}

bool hostile_provider::state::play(peer& p, const script& s) {
  const auto left = [this] {
    std::lock_guard lock{guard};
    ++gone;
    changed.notify_all();
    return false;
  };
  for (const auto& x : s)
    switch (x.what) {
      case act::send:
        if (!p.write(x.bytes))
          return left();
        break;
      case act::send_in_pieces:
        for (size_t at = 0; at < x.bytes.size(); at += static_cast<size_t>(x.number))
          if (!p.write(std::string_view{x.bytes}.substr(at, static_cast<size_t>(x.number))))
            return left();
        break;
      case act::repeat:
        while (p.write(x.bytes) && !(x.number > 0 && p.gone_within(x.number))) {
        }
        return left();
      case act::wait_for_gate: {
        std::unique_lock lock{guard};
        changed.wait(lock, [this] { return gate || ending; });
        break;
      }
      case act::next_request:
        return true;
      case act::close:
        if (p.tls != nullptr)
          SSL_shutdown(p.tls);
        return false;
      case act::drop:
        return false;
      case act::reset:
        p.reset_on_close();
        return false;
      case act::stay:
        p.gone_within(-1);
        return left();
    }
  return true;
}

void hostile_provider::state::tunnel(peer& p, const listening& how, const seen_request& asked_for) {
  const auto colon = asked_for.head.find(':', 8); // after "CONNECT "
  const auto port = static_cast<uint16_t>(std::stoul(asked_for.head.substr(colon + 1)));
  {
    std::lock_guard lock{guard};
    requests.push_back(asked_for);
  }
  p.write(how.proxy_answer);
  if (how.proxy_answer.find(" 200 ") == std::string::npos)
    return;
  const peer there{connect_to(port)};
  pump(p.fd, there.fd);
}

hostile_provider::hostile_provider() : state_(std::make_shared<state>()) {}

hostile_provider::~hostile_provider() {
  std::list<std::thread> all;
  {
    std::lock_guard lock{state_->guard};
    state_->ending = true;
    for (const int fd : state_->open)
      ::shutdown(fd, SHUT_RDWR);
    state_->changed.notify_all();
  }
  for (;;) { // the accepting thread may have started another one
    {
      std::lock_guard lock{state_->guard};
      all.splice(all.end(), state_->threads);
    }
    if (all.empty())
      return;
    all.front().join();
    all.pop_front();
  }
}

uint16_t hostile_provider::listen(listening how) {
  auto& s = *state_;
  std::lock_guard lock{s.guard};
  s.ways.push_back(std::move(how));
  const auto& kept = s.ways.back();
  SSL_CTX* tls = nullptr;
  if (!kept.certificate.empty()) {
    s.contexts.emplace_back(SSL_CTX_new(TLS_server_method()), SSL_CTX_free);
    tls = s.contexts.back().get();
    demand(SSL_CTX_use_certificate_chain_file(tls, kept.certificate.c_str()) == 1);
    demand(SSL_CTX_use_PrivateKey_file(tls, kept.key.c_str(), SSL_FILETYPE_PEM) == 1);
  }
  int fd = -1;
  sockaddr_in in{};
  if (kept.unix_path.empty()) {
    fd = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    in.sin_family = AF_INET;
    in.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    demand(::bind(fd, reinterpret_cast<const sockaddr*>(&in), sizeof in) == 0);
    socklen_t size = sizeof in;
    demand(::getsockname(fd, reinterpret_cast<sockaddr*>(&in), &size) == 0);
  } else {
    fd = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_un un{};
    un.sun_family = AF_UNIX;
    std::memcpy(un.sun_path, kept.unix_path.c_str(), kept.unix_path.size() + 1);
    demand(::bind(fd, reinterpret_cast<const sockaddr*>(&un), sizeof un) == 0);
  }
  demand(::listen(fd, 512) == 0);
  s.open.push_back(fd);
  s.threads.emplace_back([state = state_.get(), fd, &kept, tls] {
    state->accept_all(fd, kept, tls);
    std::lock_guard again{state->guard};
    state->open.remove(fd);
    ::close(fd);
  });
  return ntohs(in.sin_port);
}

std::string hostile_provider::add(std::vector<script> scripts) {
  std::lock_guard lock{state_->guard};
  auto path = "/" + std::to_string(state_->scripts.size());
  state_->scripts.emplace(path, std::move(scripts));
  return path;
}

std::vector<seen_request> hostile_provider::requests() const {
  std::lock_guard lock{state_->guard};
  return state_->requests;
}

size_t hostile_provider::connections() const {
  std::lock_guard lock{state_->guard};
  return state_->connections;
}

size_t hostile_provider::wait_for_gone(size_t at_least) const {
  std::unique_lock lock{state_->guard};
  state_->changed.wait_for(lock, std::chrono::seconds{20}, [&] { return state_->gone >= at_least; });
  return state_->gone;
}

size_t hostile_provider::wait_for_played(size_t at_least) const {
  std::unique_lock lock{state_->guard};
  state_->changed.wait_for(lock, std::chrono::seconds{20}, [&] { return state_->played >= at_least; });
  return state_->played;
}

void hostile_provider::open_gate() {
  std::lock_guard lock{state_->guard};
  state_->gate = true;
  state_->changed.notify_all();
}

std::string whole_answer(int status, const std::string& headers, const std::string& body) {
  return "HTTP/1.1 " + std::to_string(status) + " x\r\n" + headers + "content-length: " + std::to_string(body.size())
         + "\r\n\r\n" + body;
}

std::string chunk(const std::string& bytes) {
  constexpr std::string_view digits = "0123456789abcdef";
  std::string size;
  for (auto n = bytes.size(); n > 0; n /= 16)
    size.insert(size.begin(), digits[n % 16]);
  return (size.empty() ? "0" : size) + "\r\n" + bytes + "\r\n";
}

} // namespace kevolve::test
