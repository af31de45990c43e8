#include "backends/cpu/compile_server/server.hpp"

#include "backends/cpu/judge/core_turn.hpp"
#include "backends/cpu/machine.hpp"
#include "runtime/base/log.hpp"

#include <poll.h>
#include <sched.h>

#include <algorithm>
#include <cerrno>

namespace kevolve {

namespace {

using steady = std::chrono::steady_clock;
constexpr auto progress_period = std::chrono::milliseconds{500};
// A frame that has begun must end: the node is on this machine.
constexpr auto frame_limit = std::chrono::seconds{10};

// Another node's timing may take minutes, and the node ends a helper that is silent: a wait is told every second.
constexpr auto turn_limit = std::chrono::hours{24};

std::string waiting_for(int core) {
  return "waiting for core " + std::to_string(core) + ", " + describe(holder_of(core));
}

// This process and the compilers that it starts.
void run_on(const std::vector<int>& cores) {
  if (cores.empty())
    return;
  cpu_set_t set;
  CPU_ZERO(&set);
  for (auto core : cores)
    CPU_SET(static_cast<size_t>(core), &set);
  ::sched_setaffinity(0, sizeof(set), &set);
}

compile_outcome dropped(const id128& job) {
  compile_outcome out;
  out.job = job;
  out.trouble = {"cancelled", "on request", 0};
  return out;
}

} // namespace

compile_server::compile_server(channel link, compiler engine)
    : link_(std::move(link)), engine_(std::move(engine)), cores_(usable_cores()) {}

int compile_server::run() {
  greet();
  while (!closed_) {
    if (!waiting_.empty()) {
      auto next = std::move(waiting_.front());
      waiting_.pop_front();
      serve(next);
      continue;
    }
    pollfd p{link_.fd(), POLLIN, 0};
    if (::poll(&p, 1, -1) < 0 && errno != EINTR)
      return 1;
    if (p.revents != 0)
      receive();
  }
  return 0;
}

void compile_server::greet() {
  helper_hello hello;
  hello.kind = "compile-server";
  hello.fingerprint = toolchain_fingerprint(engine_.tools());
  hello.facts = {
      {"sandbox", engine_.sandbox_level()},
      {"clang", engine_.tools().clang_version},
      {"gcc", engine_.tools().gcc_version},
      {"linker", engine_.tools().linker_version},
  };
  closed_ = !link_.send_message(frame_kind::hello, hello);
}

bool compile_server::heard() {
  while (!closed_ && link_.readable())
    receive();
  return !closed_ && !cancelled_;
}

bool compile_server::attend() {
  if (heard())
    report_progress();
  return !closed_ && !cancelled_;
}

void compile_server::receive() {
  auto got = link_.receive(frame_limit);
  if (!got) {
    if (got.error().code != errc::io)
      log::error("compile-server", "{}", to_string(got.error()));
    closed_ = true;
    return;
  }
  switch (static_cast<frame_kind>(got->kind)) {
    case frame_kind::compile_request:
      if (auto request = decode<compile_request>(got->payload)) {
        waiting_.push_back(std::move(*request));
      } else {
        compile_outcome out;
        out.trouble = {"protocol", to_string(request.error()), 0};
        closed_ = !link_.send_message(frame_kind::compile_outcome, out);
      }
      break;
    case frame_kind::cancel:
      if (auto order = decode<helper_cancel>(got->payload)) {
        if (current_ == order->job)
          cancelled_ = true;
        else if (std::erase_if(waiting_, [&](const auto& r) { return r.job == order->job; }) > 0)
          closed_ = !link_.send_message(frame_kind::compile_outcome, dropped(order->job));
      }
      break;
    default:
      log::error("compile-server", "a frame of kind {} is not for a compile server", got->kind);
      closed_ = true;
  }
}

void compile_server::serve(const compile_request& request) {
  current_ = request.job;
  cancelled_ = false;
  // Nothing compiles on a core that is being timed on.
  bool waited = false;
  const auto waiting = [&](int core) {
    waited = true;
    closed_ =
        closed_ || !link_.send_message(frame_kind::progress, helper_progress{request.job, waiting_for(core), true});
  };
  const auto turns = share_cores(cores_, turn_limit, waiting, [this] { return !heard(); });
  if (turns && waited)
    closed_ =
        closed_ || !link_.send_message(frame_kind::progress, helper_progress{request.job, "a core is free", false});
  started_ = reported_ = steady::now();
  compile_outcome out;
  if (turns) {
    run_on(turns->cores);
    out = engine_.run(request, *this);
  } else if (turns.error().code == errc::cancelled)
    out = dropped(request.job);
  else {
    out.job = request.job;
    out.trouble = {"core_busy", turns.error().detail, 0};
  }
  current_.reset();
  if (closed_)
    return;
  if (out.trouble && !cancelled_)
    log::warn("compile-server", "job {}: {}: {}", short_string(request.job), out.trouble.kind, out.trouble.detail);
  closed_ = !link_.send_message(frame_kind::compile_outcome, out);
}

void compile_server::report_progress() {
  auto now = steady::now();
  if (!current_ || now - reported_ < progress_period)
    return;
  reported_ = now;
  auto seconds = std::chrono::duration_cast<std::chrono::duration<double>>(now - started_).count();
  helper_progress progress{*current_, fmt::format("compile {:.1f} s", seconds), false};
  closed_ = !link_.send_message(frame_kind::progress, progress);
}

} // namespace kevolve
