// The HTTP admin of one node. It requires a token and listens on loopback only, unless it has a certificate. It writes
// <data_dir>/admin.json, by which the command line finds a running node.
#pragma once

#include "actors/actor_status.hpp"
#include "actors/cluster/cluster_messages.hpp"
#include "actors/devices/device_board.hpp"
#include "actors/evaluation/profiler_settings.hpp"
#include "actors/interfaces.hpp"
#include "runtime/base/result.hpp"
#include "runtime/node/admin/http_limits.hpp"

#include <caf/fwd.hpp>

#include <functional>
#include <memory>
#include <string>

namespace kevolve::knowledge {
class document_shelf;
} // namespace kevolve::knowledge

namespace kevolve {

class store;

struct admin_options {
  std::string listen = "127.0.0.1:0";
  std::string data_dir; // directory of admin.json
  std::string token_file;
  caf::actor_system* system = nullptr;
  campaigns_actor campaigns;
  journal_actor journal;
  scheduler_actor scheduler;
  relay_actor relay;
  models_actor models;
  cluster_actor cluster{};   // null: the node works alone
  skill_book_actor skills{}; // null: no skills
  std::shared_ptr<actor_status_table> statuses;
  std::shared_ptr<device_board> devices; // null: the node has no devices
  std::shared_ptr<store> data{};         // store of the audit log and of idempotency keys; null: neither is kept
  bool no_devices = false;               // true: no device of the node's targets can be reached
  std::function<std::string()> broken{}; // returns why the node cannot go on, or an empty text; for /readyz
  std::function<std::string()> away{};   // null, or returns why the cluster that this node needs cannot be asked
  profiler_settings profilers{};         // for profiles on request
  std::shared_ptr<knowledge::document_shelf> documents{}; // null: no documents
  tls_files tls{};
  http_limits limits{};
};

// Returns the path of the file in which a data directory's node says how to reach it.
std::string admin_file(const std::string& data_dir);

class http_listener;

class admin_server {
public:
  // Starts listening and writes admin.json. errc::bad_input names a wrong address.
  static result<std::unique_ptr<admin_server>> start(admin_options options);
  ~admin_server();
  admin_server(const admin_server&) = delete;
  admin_server& operator=(const admin_server&) = delete;

  std::string url() const { return url_; }
  // Changes the limits and reads the certificates again; both apply from the next connection on.
  result<void> change(const tls_files& tls, const http_limits& limits);
  // Ends every connection and removes admin.json. A second call does nothing.
  void stop();

private:
  admin_server(std::unique_ptr<http_listener> listener, std::string url, std::string file);
  std::unique_ptr<http_listener> listener_;
  std::string url_;
  std::string file_;
};

} // namespace kevolve
