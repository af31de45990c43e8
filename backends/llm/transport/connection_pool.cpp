#include "backends/llm/transport/connection_pool.hpp"

#include <sys/socket.h>

#include <algorithm>
#include <iterator>

namespace kevolve {

namespace {

// Returns whether nothing has arrived on an idle connection. Otherwise the other side has closed it, is about to, or
// violates the protocol.
bool silent(model_connection& c) {
  char byte = 0;
  return ::recv(c.socket().native_handle(), &byte, 1, MSG_PEEK | MSG_DONTWAIT) < 0
         && (errno == EAGAIN || errno == EWOULDBLOCK);
}

} // namespace

connection_ptr connection_pool::take(const std::string& origin) {
  for (auto at = idle_.end(); at != idle_.begin();) {
    --at;
    if (at->one->origin() != origin)
      continue;
    auto out = std::move(at->one);
    const bool fresh = clock::now() - at->since < limits_.idle;
    at = idle_.erase(at);
    if (fresh && silent(*out))
      return out;
    out->close();
  }
  return nullptr;
}

void connection_pool::give(connection_ptr c) {
  const auto same = [&](const idle& x) { return x.one->origin() == c->origin(); };
  auto oldest = idle_.end();
  if (static_cast<size_t>(std::count_if(idle_.begin(), idle_.end(), same)) >= limits_.per_origin)
    oldest = std::find_if(idle_.begin(), idle_.end(), same);
  else if (idle_.size() >= limits_.total)
    oldest = idle_.begin();
  if (oldest != idle_.end()) {
    oldest->one->close();
    idle_.erase(oldest);
  }
  idle_.push_back({std::move(c), clock::now()});
  if (idle_.size() == 1)
    watch();
}

void connection_pool::watch() {
  if (idle_.empty())
    return;
  timer_.expires_at(idle_.front().since + limits_.idle);
  timer_.async_wait([this](const boost::system::error_code& e) {
    if (e)
      return;
    while (!idle_.empty() && clock::now() - idle_.front().since >= limits_.idle) {
      idle_.front().one->close();
      idle_.pop_front();
    }
    watch();
  });
}

void connection_pool::clear() {
  for (auto& x : idle_)
    x.one->close();
  idle_.clear();
  timer_.cancel();
}

} // namespace kevolve
