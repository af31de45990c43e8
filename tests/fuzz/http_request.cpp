// Fuzzes an admin client's request up to its route: the parser with the session's limits, the guards, the router, and
// the text that reaches the log.
#include "runtime/node/admin/guard.hpp"
#include "runtime/node/admin/http_limits.hpp"
#include "runtime/node/admin/json.hpp"
#include "runtime/node/admin/router.hpp"
#include "runtime/node/admin/token.hpp"
#include "tests/fuzz/input.hpp"

#include <boost/beast/http.hpp>

using namespace kevolve;
using namespace kevolve::fuzzing;
namespace http = boost::beast::http;

namespace {

const std::string& secret() {
  static const std::string text(64, 'a');
  return text;
}

const router& routes() {
  static const router table = [] {
    std::vector<route> all(6);
    const char* patterns[] = {"/healthz",
                              "/v1/campaigns",
                              "/v1/campaigns/{id}",
                              "/v1/campaigns/{id}/nodes/{index}",
                              "/v1/campaigns/{id}/pause",
                              "/v1/actors/tree"};
    for (size_t i = 0; i < all.size(); ++i) {
      all[i].method = i == 4 ? "POST" : "GET";
      all[i].pattern = patterns[i];
      all[i].id = "route" + std::to_string(i);
      all[i].open = i == 0;
    }
    all[1].query = {{"state", "", false, 0, 0, 0, {"running", "paused"}}, {"limit", "", true, 1, 1'000, 100, {}}};
    return router{all};
  }();
  return table;
}

std::string_view field(const http::request<http::string_body>& q, const char* name) {
  auto x = q[name];
  return {x.data(), x.size()};
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static const token_check token{secret()};
  static const own_names ours{7700, false, {"node.example"}};
  const http_limits limits;
  http::request_parser<http::string_body> parser;
  parser.header_limit(limits.header_bytes);
  parser.body_limit(limits.body_bytes);
  parser.eager(true);
  boost::beast::error_code e;
  // In two pieces, as a network may deliver them.
  const auto first = size / 2;
  auto used = parser.put(boost::asio::buffer(data, first), e);
  if (!parser.is_done() && (!e || e == http::error::need_more)) {
    e = {};
    parser.put(boost::asio::buffer(data + used, size - used), e);
  }
  if (!parser.is_header_done())
    return 0;
  const auto& q = parser.get();
  const std::string target{q.target().data(), q.target().size()};
  const auto log = loggable_path(target, token);
  require(log.size() < 320);
  require(log.find(secret()) == std::string::npos);
  for (auto c : log)
    require(static_cast<unsigned char>(c) >= 0x20);
  const auto foreign = refuse_foreign({field(q, "Host"), field(q, "Origin"), field(q, "Sec-Fetch-Site")}, ours);
  require(!foreign || foreign->status == 400 || foreign->status == 403);
  const auto leaked = refuse_token_in_url(target, token);
  require(leaked || target.find("=" + secret() + "&") == std::string::npos);
  require(!token.accepts(field(q, "Authorization")) || field(q, "Authorization").size() == secret().size() + 7);
  const std::string method{q.method_string().data(), q.method_string().size()};
  const auto found = routes().match(method, target);
  if (found)
    require(found->to != nullptr && found->to->method == method);
  else {
    const auto answer = to_response(found.error().why);
    require(answer.status >= 400 && answer.status < 500);
    require(json::accept(answer.body));
  }
  require(json::parse(q.body(), nullptr, false).is_discarded() == !json::accept(q.body()));
  return 0;
}
