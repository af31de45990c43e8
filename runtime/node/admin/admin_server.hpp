// The HTTP admin of one node: loopback only, behind a token. Writes <data_dir>/admin.json so that the command line
// finds a running node through its data directory.
#pragma once

#include "actors/card.hpp"
#include "actors/interfaces.hpp"
#include "runtime/base/result.hpp"

#include <caf/fwd.hpp>

#include <functional>
#include <memory>
#include <string>

namespace kevolve {

struct admin_options {
  std::string listen = "127.0.0.1:0";
  std::string data_dir; // of admin.json
  std::string token_file;
  caf::actor_system* system = nullptr;
  campaigns_actor campaigns;
  journal_actor journal;
  scheduler_actor scheduler;
  std::shared_ptr<card_table> cards;
  std::function<std::string()> broken{}; // empty while the node is well; for /readyz
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
  // Ends every connection and removes admin.json. Safe twice.
  void stop();

private:
  admin_server(std::unique_ptr<http_listener> listener, std::string url, std::string file);
  std::unique_ptr<http_listener> listener_;
  std::string url_;
  std::string file_;
};

} // namespace kevolve
