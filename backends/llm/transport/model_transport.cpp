#include "backends/llm/transport/model_transport.hpp"

#include "backends/llm/transport/model_call.hpp"
#include "backends/llm/transport/transport_core.hpp"
#include "runtime/base/log.hpp"

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/post.hpp>

#include <pthread.h>

#include <csignal>
#include <ctime>
#include <future>
#include <utility>

namespace kevolve {

namespace {

namespace asio = boost::asio;

void run(transport_core& core) {
  sigset_t all;
  sigfillset(&all);
  pthread_sigmask(SIG_BLOCK, &all, nullptr);
  auto work = asio::make_work_guard(core.io);
  core.lap();
  for (;;)
    try {
      core.io.run();
      return;
    } catch (const std::exception& e) { // thrown by a callback of one attempt
      log::error("models", "a callback failed: {}", e.what());
    }
}

} // namespace

std::chrono::nanoseconds transport_core::lap() {
  timespec t{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  const auto now = std::chrono::seconds{t.tv_sec} + std::chrono::nanoseconds{t.tv_nsec};
  return now - std::exchange(cpu, now);
}

void transport_core::publish() {
  seen_in_flight = calls.size();
  seen_idle = pool.size();
  seen_buffer = most_buffer_bytes;
  seen_opened = connections_opened;
  seen_cpu_ns = cpu.count();
}

void attempt_handle::cancel() const {
  if (const auto core = core_.lock())
    asio::post(core->io, [c = core.get(), id = id_] {
      if (const auto at = c->calls.find(id); at != c->calls.end())
        std::shared_ptr {
          at->second
        } -> cancel();
    });
}

void attempt_handle::took(size_t batches) const {
  if (const auto core = core_.lock())
    asio::post(core->io, [c = core.get(), id = id_, batches] {
      if (const auto at = c->calls.find(id); at != c->calls.end())
        std::shared_ptr {
          at->second
        } -> took(batches);
    });
}

model_transport::model_transport(transport_options options)
    : core_(std::make_shared<transport_core>(std::move(options))) {
  core_->thread = std::thread{[core = core_.get()] { run(*core); }};
}

model_transport::~model_transport() {
  std::promise<void> ended;
  asio::post(core_->io, [&] {
    while (!core_->calls.empty())
      try {
        std::shared_ptr {
          core_->calls.begin()->second
        } -> cancel();
      } catch (const std::exception& e) {
        log::error("models", "a callback failed: {}", e.what());
      }
    core_->pool.clear();
    ended.set_value();
  });
  ended.get_future().wait();
  core_->io.stop();
  core_->thread.join();
}

result<attempt_handle> model_transport::start(attempt a, on_events events, on_end end) {
  if (!a.body)
    return fail(errc::bad_input, "provider " + a.provider.name + ": a request without a body");
  if (a.provider.needs_key && a.key.empty())
    return fail(errc::bad_input, "provider " + a.provider.name + " needs a key and has none");
  auto way = plan_route(a.provider, a.network);
  if (!way)
    return tl::unexpected(way.error());
  const auto headers = llm::request_headers(a.provider, a.key.reveal(), a.stream);
  if (!headers)
    return tl::unexpected(headers.error());
  attempt_handle out;
  out.core_ = core_;
  out.id_ = core_->next_id++;
  auto call = std::make_shared<model_call>(*core_, out.id_, std::move(a), std::move(*way), *headers, std::move(events),
                                           std::move(end));
  asio::post(core_->io, [c = core_.get(), id = out.id_, call = std::move(call)] {
    c->calls.emplace(id, call);
    call->begin();
  });
  return out;
}

transport_figures model_transport::figures() const {
  transport_figures out;
  out.in_flight = core_->seen_in_flight;
  out.idle_connections = core_->seen_idle;
  out.connections_opened = core_->seen_opened;
  out.most_buffer_bytes = core_->seen_buffer;
  out.cpu = std::chrono::duration_cast<microseconds>(std::chrono::nanoseconds{core_->seen_cpu_ns.load()});
  return out;
}

} // namespace kevolve
