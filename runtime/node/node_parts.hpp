// The parts of a node; they are destroyed from last to first.
#pragma once

#include "actors/campaign/campaign_context.hpp"
#include "actors/cluster/cluster_board.hpp"
#include "actors/cluster/cluster_messages.hpp"
#include "actors/devices/device_board.hpp"
#include "actors/models/model_board.hpp"
#include "runtime/node/node.hpp"
#include "runtime/node/provider.hpp"
#include "store/store.hpp"

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <caf/actor_system.hpp>
#include <caf/actor_system_config.hpp>

#include <atomic>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

namespace kevolve::knowledge {
class document_shelf;
} // namespace kevolve::knowledge

namespace kevolve {

class admin_server;
class cluster_journal;

struct node_system_config : caf::actor_system_config {
  node_system_config();
};

struct node_parts {
  node_parts(node_options o, std::unique_ptr<store> d, std::map<std::string, std::shared_ptr<const target>> t, id128 i,
             uint64_t s);
  ~node_parts();
  node_parts(const node_parts&) = delete;
  node_parts& operator=(const node_parts&) = delete;

  node_options options;
  std::shared_ptr<store> data;
  std::map<std::string, std::shared_ptr<const target>> targets;
  id128 id;
  uint64_t session = 0;
  id128 instance = random_id(); // of this process, for the cluster
  std::shared_ptr<actor_status_table> statuses = std::make_shared<actor_status_table>();
  std::shared_ptr<std::atomic<bool>> stopping = std::make_shared<std::atomic<bool>>(false);
  std::mutex guard;
  std::string broken;
  boost::asio::io_context io;
  std::optional<boost::asio::executor_work_guard<boost::asio::io_context::executor_type>> helpers_done;
  std::thread io_thread;
  std::shared_ptr<model_board> board;
  std::shared_ptr<device_board> devices = std::make_shared<device_board>();
  std::vector<provider_setup> providers;
  std::shared_ptr<knowledge::document_shelf> documents;
  std::shared_ptr<const knowledge::code_roots> code; // null: nothing may be searched
  std::shared_ptr<skill_board> skills_now = std::make_shared<skill_board>();
  node_system_config config;
  caf::actor_system system;
  // Proxies, then the supervisors behind them.
  journal_actor journal;
  scheduler_actor scheduler;
  relay_actor relay;
  models_actor models;
  campaigns_actor campaigns;
  skill_book_actor skills;
  cluster_actor cluster; // null: the node works alone
  std::shared_ptr<cluster_board> others;
  std::map<std::string, provider_actor> model_sources; // providers that this node asks itself
  std::shared_ptr<cluster_journal> records;            // null: campaigns are kept on this node alone
  caf::actor core;
  caf::actor resources;
  caf::actor work;
  std::unique_ptr<admin_server> admin;
};

struct node::parts : node_parts {
  using node_parts::node_parts;
};

} // namespace kevolve
