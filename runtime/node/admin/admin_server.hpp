// The HTTP admin of one node: behind a token, on loopback alone unless it has a certificate. Writes
// <data_dir>/admin.json so that the command line finds a running node through its data directory.
#pragma once

#include "actors/actor_status.hpp"
#include "actors/devices/device_board.hpp"
#include "actors/interfaces.hpp"
#include "runtime/base/result.hpp"
#include "runtime/node/admin/http_limits.hpp"

#include <caf/fwd.hpp>

#include <functional>
#include <memory>
#include <string>

namespace kevolve {

class store;

struct admin_options {
  std::string listen = "127.0.0.1:0";
  std::string data_dir; // of admin.json
  std::string token_file;
  caf::actor_system* system = nullptr;
  campaigns_actor campaigns;
  journal_actor journal;
  scheduler_actor scheduler;
  relay_actor relay;
  models_actor models;
  std::shared_ptr<card_table> cards;
  std::shared_ptr<device_board> devices; // null: it has none
  std::shared_ptr<store> data{};         // of the audit and of idempotency keys; null: neither is kept
  bool no_devices = false;               // none of its targets' can be reached
  std::function<std::string()> broken{}; // empty while the node is well; for /readyz
  tls_files tls{};
  http_limits limits{};
};

// Where a data directory's node says how to reach it.
std::string admin_file(const std::string& data_dir);

class http_listener;

class admin_server {
public:
  static result<std::unique_ptr<admin_server>> start(admin_options options);
  ~admin_server();
  admin_server(const admin_server&) = delete;
  admin_server& operator=(const admin_server&) = delete;

  std::string url() const { return url_; }
  // Limits, and certificates read again, from the next connection on.
  result<void> change(const tls_files& tls, const http_limits& limits);
  // Ends every connection and removes admin.json. Safe twice.
  void stop();

private:
  admin_server(std::unique_ptr<http_listener> listener, std::string url, std::string file);
  std::unique_ptr<http_listener> listener_;
  std::string url_;
  std::string file_;
};

} // namespace kevolve
