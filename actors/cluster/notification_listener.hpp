// A thread that waits for PostgreSQL's notifications on a connection of its own.
#pragma once

#include "store/postgres/connection.hpp"

#include <functional>
#include <string>
#include <thread>
#include <vector>

namespace kevolve {

class notification_listener {
public:
  // `told` is called with channel and payload, on the listener's thread. After each new connection it is called with
  // two empty texts, because what was told in between is lost.
  using callback = std::function<void(const std::string& channel, const std::string& payload)>;

  notification_listener(std::function<result<postgres::connection_options>()> options,
                        std::vector<std::string> channels, callback told);
  ~notification_listener(); // ends the thread
  notification_listener(const notification_listener&) = delete;
  notification_listener& operator=(const notification_listener&) = delete;

private:
  void run();
  bool stopped(std::chrono::milliseconds wait) const;

  std::function<result<postgres::connection_options>()> options_;
  std::vector<std::string> channels_;
  callback told_;
  int stop_ = -1; // readable once the thread should end
  std::thread thread_;
};

} // namespace kevolve
