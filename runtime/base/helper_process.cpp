#include "runtime/base/helper_process.hpp"

#include <boost/asio/io_context.hpp>
#include <boost/asio/local/stream_protocol.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/read.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/write.hpp>

#include <fcntl.h>
#include <sched.h>
#include <spawn.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <csignal>
#include <deque>
#include <thread>

namespace kevolve {

namespace asio = boost::asio;

namespace {

constexpr auto grace = std::chrono::seconds{3};
// After the helper has ended, waits so long for a descendant that still has its socket open.
constexpr auto drain_limit = std::chrono::milliseconds{500};

// Runs the calling thread on `cores` while it lives; a spawned process inherits the mask.
class affinity_scope {
public:
  explicit affinity_scope(const std::vector<int>& cores) {
    if (cores.empty() || ::sched_getaffinity(0, sizeof before_, &before_) != 0)
      return;
    cpu_set_t wanted;
    CPU_ZERO(&wanted);
    for (auto c : cores)
      CPU_SET(static_cast<size_t>(c), &wanted);
    changed_ = ::sched_setaffinity(0, sizeof wanted, &wanted) == 0;
  }
  affinity_scope(const affinity_scope&) = delete;
  affinity_scope& operator=(const affinity_scope&) = delete;
  ~affinity_scope() {
    if (changed_)
      ::sched_setaffinity(0, sizeof before_, &before_);
  }

private:
  cpu_set_t before_{};
  bool changed_ = false;
};

result<pid_t> spawn(const helper_options& o, int socket) {
  std::vector<std::string> env;
  for (const auto& [k, v] : o.environment)
    env.push_back(k + "=" + v);
  std::vector<char*> argv;
  std::vector<char*> envp;
  for (const auto& a : o.argv)
    argv.push_back(const_cast<char*>(a.c_str()));
  for (const auto& e : env)
    envp.push_back(const_cast<char*>(e.c_str()));
  argv.push_back(nullptr);
  envp.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0);
  posix_spawn_file_actions_addopen(&actions, 2, o.log_path.empty() ? "/dev/null" : o.log_path.c_str(),
                                   O_WRONLY | O_CREAT | O_APPEND, 0640);
  posix_spawn_file_actions_adddup2(&actions, socket, helper_socket_fd);
  // Closes every other descriptor, no matter which thread opened it: a helper that outlives its node would keep the
  // node's port.
  posix_spawn_file_actions_addclosefrom_np(&actions, helper_socket_fd + 1);
  // Starts a session of its own, so that Ctrl-C on a terminal reaches only the node, which then stops helpers in order.
  // A scheduler that weighs sessions also weighs it apart from the caller's.
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  sigset_t none;
  sigemptyset(&none);
  sigset_t all;
  sigfillset(&all);
  posix_spawnattr_setsigmask(&attributes, &none);
  posix_spawnattr_setsigdefault(&attributes, &all);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSID | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
  pid_t pid = -1;
  int rc = 0;
  {
    affinity_scope scope{o.cores};
    rc = ::posix_spawn(&pid, o.argv.at(0).c_str(), &actions, &attributes, argv.data(), envp.data());
  }
  posix_spawn_file_actions_destroy(&actions);
  posix_spawnattr_destroy(&attributes);
  if (rc != 0)
    return tl::unexpected(from_errno(rc, "cannot start " + o.argv[0]));
  return pid;
}

class helper_impl final : public helper_process, public std::enable_shared_from_this<helper_impl> {
public:
  helper_impl(asio::io_context& io, int socket, pid_t pid, int pid_fd, frame_handler on_frame, exit_handler on_exit)
      : socket_(io, asio::local::stream_protocol{}, socket), exit_watch_(io, pid_fd), timer_(io), pid_(pid),
        on_frame_(std::move(on_frame)), on_exit_(std::move(on_exit)) {}

  void begin() {
    asio::post(socket_.get_executor(), [self = shared_from_this()] {
      self->read_head();
      self->watch_exit();
    });
  }

  pid_t pid() const override { return pid_; }

  bool stopped() const override {
    siginfo_t what = {};
    return !reaped_ && ::waitid(P_PID, static_cast<id_t>(pid_), &what, WSTOPPED | WNOHANG | WNOWAIT) == 0
           && what.si_pid == pid_;
  }

  void send(uint8_t kind, std::string payload) override {
    asio::post(socket_.get_executor(), [self = shared_from_this(), bytes = frame_bytes(kind, payload)]() mutable {
      self->outbox_.push_back(std::move(bytes));
      if (self->outbox_.size() == 1)
        self->write_next();
    });
  }

  void kill() override {
    if (reaped_)
      return;
    ::kill(-pid_, SIGKILL); // its process group: the processes it has started
    ::kill(pid_, SIGKILL);  // the pid stays valid until watch_exit has reaped it
  }

  void leave() override {
    asio::post(socket_.get_executor(), [self = shared_from_this()] {
      if (self->reaped_.exchange(true))
        return;
      self->hang_up();
      self->exit_watch_.cancel();
      // The I/O thread ends before the helper does, so a separate thread reaps it.
      std::thread{[pid = self->pid_] { ::waitpid(pid, nullptr, 0); }}.detach();
    });
  }

  void stop() override {
    asio::post(socket_.get_executor(), [self = shared_from_this()] {
      if (self->reaped_)
        return;
      self->hang_up();
      self->timer_.expires_after(grace);
      self->timer_.async_wait([self](boost::system::error_code ec) {
        if (!ec)
          self->kill();
      });
    });
  }

private:
  void hang_up() {
    boost::system::error_code ignored;
    socket_.shutdown(asio::local::stream_protocol::socket::shutdown_both, ignored);
  }

  void read_head() {
    asio::async_read(socket_, asio::buffer(head_), [self = shared_from_this()](boost::system::error_code ec, size_t) {
      if (ec)
        return self->input_ended();
      uint32_t n = 0;
      for (unsigned i = 0; i < 4; ++i)
        n |= static_cast<uint32_t>(static_cast<uint8_t>(self->head_[i])) << (8 * i);
      if (n == 0 || n > max_frame_bytes)
        return self->kill();
      self->body_.resize(n);
      self->read_body();
    });
  }

  void read_body() {
    asio::async_read(socket_, asio::buffer(body_), [self = shared_from_this()](boost::system::error_code ec, size_t) {
      if (ec)
        return self->input_ended();
      frame f{static_cast<uint8_t>(self->body_[0]), self->body_.substr(1)};
      self->on_frame_(std::move(f));
      self->read_head();
    });
  }

  void write_next() {
    asio::async_write(socket_, asio::buffer(outbox_.front()),
                      [self = shared_from_this()](boost::system::error_code ec, size_t) {
                        if (ec) {
                          self->outbox_.clear();
                          return;
                        }
                        self->outbox_.pop_front();
                        if (!self->outbox_.empty())
                          self->write_next();
                      });
  }

  void watch_exit() {
    exit_watch_.async_wait(asio::posix::stream_descriptor::wait_read,
                           [self = shared_from_this()](boost::system::error_code ec) {
                             if (ec)
                               return; // cancelled by leave()
                             int status = 0;
                             ::waitpid(self->pid_, &status, 0);
                             self->reaped_ = true;
                             self->status_ = status;
                             self->timer_.cancel();
                             self->end_input_soon();
                             self->finish();
                           });
  }

  // Frames already in the socket are delivered before the exit is reported.
  void input_ended() {
    drained_ = true;
    if (!reaped_) {
      // A helper that closed its socket is of no further use.
      timer_.expires_after(grace);
      timer_.async_wait([self = shared_from_this()](boost::system::error_code ec) {
        if (!ec)
          self->kill();
      });
    }
    finish();
  }

  void end_input_soon() {
    if (drained_)
      return;
    timer_.expires_after(drain_limit);
    timer_.async_wait([self = shared_from_this()](boost::system::error_code ec) {
      if (!ec)
        self->hang_up();
    });
  }

  void finish() {
    if (!reaped_ || finished_)
      return;
    if (!drained_)
      return; // a descendant may still have the socket open; end_input_soon() limits the wait
    finished_ = true;
    timer_.cancel();
    auto done = std::move(on_exit_);
    on_frame_ = nullptr;
    done(status_);
  }

  asio::local::stream_protocol::socket socket_;
  asio::posix::stream_descriptor exit_watch_;
  asio::steady_timer timer_;
  pid_t pid_;
  frame_handler on_frame_;
  exit_handler on_exit_;
  std::array<char, 4> head_{};
  std::string body_;
  std::deque<std::string> outbox_;
  std::atomic<bool> reaped_{false};
  bool drained_ = false;
  bool finished_ = false;
  int status_ = 0;
};

} // namespace

result<std::shared_ptr<helper_process>> helper_process::start(asio::io_context& io, helper_options options,
                                                              frame_handler on_frame, exit_handler on_exit) {
  auto pair = make_channel_pair();
  if (!pair)
    return tl::unexpected(pair.error());
  auto pid = spawn(options, pair->second.fd());
  if (!pid)
    return tl::unexpected(pid.error());
  pair->second.close();
  auto pid_fd = static_cast<int>(::syscall(SYS_pidfd_open, *pid, 0));
  if (pid_fd < 0) {
    auto why = from_errno(errno, "pidfd_open");
    ::kill(*pid, SIGKILL);
    ::waitpid(*pid, nullptr, 0);
    return tl::unexpected(why);
  }
  auto socket = ::dup(pair->first.fd());
  ::fcntl(socket, F_SETFD, FD_CLOEXEC);
  auto helper = std::make_shared<helper_impl>(io, socket, *pid, pid_fd, std::move(on_frame), std::move(on_exit));
  helper->begin();
  return std::shared_ptr<helper_process>{helper};
}

} // namespace kevolve
