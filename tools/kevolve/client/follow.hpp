// Polls a node: across its restarts, and until the person stops it.
#pragma once

#include "tools/kevolve/client/connection.hpp"
#include "tools/kevolve/stop_signal.hpp"

#include <chrono>
#include <memory>
#include <string>

namespace kevolve {

class patient_connection {
public:
  explicit patient_connection(node_address where) : where_(std::move(where)) {}

  // Waits for a node that has answered before and is gone; a node that never answered is a failure. errc::cancelled:
  // Ctrl-C.
  result<json> get(const std::string& target, const stop_signal& stop);

private:
  node_address where_;
  std::unique_ptr<connection> node_;
  bool known_ = false; // it has answered once
};

} // namespace kevolve
