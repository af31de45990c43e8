// The admin's HTTP/1.1 server: connections, limits, access checks. It passes every request to an admin_api.
#pragma once

#include "runtime/node/admin/api.hpp"
#include "runtime/node/admin/guard.hpp"
#include "runtime/node/admin/http_limits.hpp"
#include "runtime/node/admin/token.hpp"

#include <memory>

namespace kevolve {

class http_listener {
public:
  // Listens and serves on a thread of its own. Port 0 means any free port; address() returns it.
  static result<std::unique_ptr<http_listener>> start(listen_address at, std::unique_ptr<admin_api> api,
                                                      token_check token, const tls_files& tls = {},
                                                      const http_limits& limits = {});
  // Closes every connection and ends the thread.
  virtual ~http_listener() = default;
  virtual listen_address address() const = 0;
  // Changes take effect from the next connection on. The certificate files are read again; if they are invalid, the old
  // ones stay in use.
  virtual result<void> change(const tls_files& tls, const http_limits& limits) = 0;
};

} // namespace kevolve
