#include "backends/compile/server.hpp"

#include "backends/host_machine.hpp"
#include "backends/judge/core_turn.hpp"
#include "runtime/base/fault_kinds.hpp"
#include "runtime/base/log.hpp"

#include <poll.h>
#include <sched.h>

#include <algorithm>
#include <array>
#include <cerrno>

namespace kevolve {

namespace {

using steady = std::chrono::steady_clock;
constexpr auto progress_period = std::chrono::milliseconds{500};
// A frame must arrive completely within this time, since the node is on this machine.
constexpr auto frame_limit = std::chrono::seconds{10};

// Another node's timing may take minutes. Progress is reported every second while waiting, since the node ends a silent
// helper.
constexpr auto turn_limit = std::chrono::hours{24};

std::string waiting_for(int core) {
  return "waiting for core " + std::to_string(core) + ", " + describe(holder_of(core));
}

// Binds this process and the compilers that it starts to the cores.
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
  out.trouble = {fault_kind::cancelled, "on request", 0};
  return out;
}

} // namespace

compile_server::compile_server(channel link, std::unique_ptr<compile_engine> engine, kept_builds kept,
                               std::chrono::milliseconds kept_after)
    : link_(std::move(link)), engine_(std::move(engine)), kept_(std::move(kept)), kept_after_(kept_after),
      cores_(usable_cores()) {}

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
  fingerprint_ = engine_->fingerprint();
  hello.fingerprint = fingerprint_;
  hello.facts = engine_->facts();
  closed_ = !link_.send_message(frame_kind::hello, hello);
}

bool compile_server::heard() {
  while (!closed_ && link_.readable())
    receive();
  return !closed_ && !cancelled_;
}

bool compile_server::attend() {
  if (lead_) {
    cancelled_ = cancelled_ || !lead_->attend();
    return !cancelled_;
  }
  if (heard())
    report_progress();
  return !cancelled_ && (!closed_ || outlast());
}

// The node went away during a compile. Returns whether the compile continues.
bool compile_server::outlast() {
  if (!kept_.keeps() || steady::now() - started_ < kept_after_)
    return false;
  auto lead = kept_.lead(digest_);
  if (!lead) {
    log::warn("compile-server", "{}", to_string(lead.error()));
    return false;
  }
  log::info("compile-server", "the node is gone; the compile goes on for who asks for it next");
  lead_ = std::move(*lead);
  return true;
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
        out.trouble = {fault_kind::protocol, to_string(request.error()), 0};
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
  started_ = reported_ = steady::now();
  digest_ = kept_.keeps() ? kept_builds::digest(request, fingerprint_) : std::string{};
  auto out = dropped(request.job);
  if (auto known = kept(request))
    out = std::move(*known);
  else if (!cancelled_ && !closed_)
    out = compile(request);
  current_.reset();
  if (lead_) {
    if (!cancelled_ && out.result != verdict::none)
      if (auto ok = kept_.put(digest_, out); !ok)
        log::warn("compile-server", "{}", to_string(ok.error()));
    kept_.leave(digest_);
    lead_.reset();
  }
  if (closed_)
    return;
  if (out.trouble && !cancelled_)
    log::warn("compile-server", "job {}: {}: {}", short_string(request.job), out.trouble.kind, out.trouble.detail);
  closed_ = !link_.send_message(frame_kind::compile_outcome, out);
}

// Returns the outcome of the same compile for an earlier node, waiting for it if necessary.
std::optional<compile_outcome> compile_server::kept(const compile_request& request) {
  if (!kept_.keeps())
    return std::nullopt;
  if (auto joined = kept_.join(digest_))
    if (!follow(joined))
      return std::nullopt;
  auto out = kept_.take(digest_);
  if (out)
    out->job = request.job;
  return out;
}

// Waits for the end of a build that another server leads. Returns false if the request was cancelled or the node went
// away.
bool compile_server::follow(const open_file& joined) {
  for (;;) {
    std::array<pollfd, 2> waits{{{link_.fd(), POLLIN, 0}, {joined.fd(), POLLIN, 0}}};
    ::poll(waits.data(), waits.size(), static_cast<int>(progress_period.count()));
    if (waits[1].revents != 0)
      return true;
    if (!heard()) {
      if (cancelled_)
        kept_builds::end(joined);
      return false;
    }
    report_progress();
  }
}

compile_outcome compile_server::compile(const compile_request& request) {
  // Compilers must not run on a core that is used for timing.
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
  if (turns) {
    run_on(turns->cores);
    return engine_->run(request, *this);
  }
  auto out = dropped(request.job);
  if (turns.error().code != errc::cancelled)
    out.trouble = {fault_kind::core_busy, turns.error().detail, 0};
  return out;
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
