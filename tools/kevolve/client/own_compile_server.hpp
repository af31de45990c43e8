// Runs a compile server for one job of a verb, without a node; it ends with this object.
#pragma once

#include "backends/protocol.hpp"
#include "backends/target.hpp"
#include "runtime/base/channel.hpp"

namespace kevolve {

class own_compile_server {
public:
  own_compile_server() = default;
  own_compile_server(const own_compile_server&) = delete;
  own_compile_server& operator=(const own_compile_server&) = delete;
  ~own_compile_server();

  result<void> start(const helper_command& how);
  result<compile_outcome> compile(const compile_request& q);

private:
  pid_t pid_ = -1;
  channel link_;
};

} // namespace kevolve
