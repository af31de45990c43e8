// Tests a node whose journal does not answer: clients get a timely error, and a late answer reaches no other client.
#include "runtime/node/admin/http_listener.hpp"
#include "runtime/node/node_parts.hpp"
#include "tests/admin/raw_http.hpp"

#include <caf/actor_system.hpp>
#include <caf/typed_event_based_actor.hpp>
#include <doctest/doctest.h>

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <vector>

using namespace kevolve;
using namespace kevolve::test;

namespace {

// The requests received and the answers owed.
struct silence {
  std::mutex guard;
  std::condition_variable asked;
  std::vector<caf::typed_response_promise<std::vector<journal_event>>> owed;
};

journal_actor::behavior_type silent_journal(journal_actor::pointer self, std::shared_ptr<silence> what) {
  return {
      [](atom::append, const append_request&) -> caf::result<uint64_t> { return uint64_t{1}; },
      [self, what](atom::events, const id128&, uint64_t, uint32_t) -> caf::result<std::vector<journal_event>> {
        auto promise = self->make_response_promise<std::vector<journal_event>>();
        const std::lock_guard hold{what->guard};
        what->owed.push_back(promise);
        what->asked.notify_all();
        return promise;
      },
      [](atom::lookup, const std::string&, const std::string&) -> caf::result<std::string> { return std::string{}; },
      [](atom::lookup, const std::vector<stored_value>&) -> caf::result<std::vector<stored_value>> {
        return std::vector<stored_value>{};
      },
      [](atom::scan, const std::string&, const std::string&, uint32_t) -> caf::result<std::vector<stored_value>> {
        return std::vector<stored_value>{};
      },
      [](atom::blob, const std::string&) -> caf::result<std::string> { return std::string{}; },
      [what](atom::flush) { // answers the pending requests now
        const std::lock_guard hold{what->guard};
        for (auto& p : what->owed)
          p.deliver(std::vector<journal_event>{});
        what->owed.clear();
      },
      [](atom::crash) {},
  };
}

} // namespace

TEST_CASE("a request without an answer times out, and the late answer is dropped") {
  node_system_config config;
  caf::actor_system system{config};
  auto what = std::make_shared<silence>();
  api_context context;
  context.journal = system.spawn(silent_journal, what);
  context.statuses = std::make_shared<actor_status_table>();
  const std::string token(64, 'a');
  http_limits limits;
  limits.answer = std::chrono::milliseconds{100};
  auto at = parse_listen("127.0.0.1:0", false);
  REQUIRE(at);
  auto proxy = http_listener::start(*at, std::make_unique<admin_api>(system, context), token_check{token}, {}, limits);
  REQUIRE(proxy);
  const auto port = (*proxy)->address().port;
  const auto request = [&](const std::string& target) {
    return "GET " + target + " HTTP/1.1\r\nHost: 127.0.0.1:" + std::to_string(port) + "\r\nAuthorization: Bearer "
           + token + "\r\n\r\n";
  };
  open_connection c{port, request("/v1/events")};
  const auto late = c.read_until("in time");
  CHECK(late.find("HTTP/1.1 504") == 0);
  caf::anon_send(context.journal, atom::flush_v);
  // The connection continues, and its next answer belongs to its next request.
  c.send(request("/healthz"));
  const auto next = c.read_until("ok\"}");
  CHECK(next.find("HTTP/1.1 200") != std::string::npos);
  CHECK(next.find("items") == std::string::npos);
  proxy->reset();
  caf::anon_send_exit(context.journal, caf::exit_reason::user_shutdown);
}
