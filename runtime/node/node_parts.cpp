#include "runtime/node/node_parts.hpp"

#include "actors/messages/messages.hpp"
#include "runtime/node/admin/admin_server.hpp"

#include <pthread.h>

#include <algorithm>
#include <csignal>

namespace kevolve {

node_system_config::node_system_config() {
  add_message_types<caf::id_block::kevolve>();
  add_message_types<caf::id_block::kevolve_cluster>();
  // Chosen by measurement: no idle polling, and a busy actor does not starve others.
  set("scheduler.policy", caf::atom("sharing"));
  // One core belongs to the judge. A worker on the last core costs wake-ups and gains nothing.
  set("scheduler.max-threads", std::max(2U, std::thread::hardware_concurrency()) - 1);
  set("scheduler.max-throughput", 300);
}

node_parts::node_parts(node_options o, std::unique_ptr<store> d, std::map<std::string, std::shared_ptr<const target>> t,
                       id128 i, uint64_t s)
    : options(std::move(o)), data(std::move(d)), targets(std::move(t)), id(i), session(s),
      helpers_done(boost::asio::make_work_guard(io)), system(config) {
  io_thread = std::thread{[this] {
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, nullptr);
    io.run();
  }};
}

node_parts::~node_parts() {
  helpers_done.reset();
  if (io_thread.joinable())
    io_thread.join();
}

} // namespace kevolve
