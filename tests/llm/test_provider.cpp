#include "backends/llm/protocol/provider.hpp"
#include "runtime/base/provider_kinds.hpp"

#include <doctest/doctest.h>

#include <set>

using namespace kevolve;
using namespace kevolve::llm;

namespace {

std::string value_of(const header_list& headers, const char* name) {
  const auto* found = find_header(headers, name);
  return found == nullptr ? "(none)" : *found;
}

} // namespace

TEST_CASE("every preset has its own name and address") {
  std::set<std::string> names;
  for (const auto& name : kevolve::provider_kind_names()) {
    CAPTURE(name);
    CHECK(names.insert(name).second);
    const auto p = preset(name).value();
    CHECK(p.name == name);
    const bool here = p.base_url.rfind("http://127.0.0.1:", 0) == 0;
    CHECK((here || p.base_url.rfind("https://", 0) == 0));
    CHECK(p.base_url.back() != '/');
    CHECK(p.needs_key != here);
    CHECK(p.key_environment.empty() == here);
    CHECK(request_headers(p, here ? "" : "key", true).has_value());
  }
  CHECK(names.size() == 10);
  const auto no = preset("openia");
  REQUIRE_FALSE(no.has_value());
  CHECK(no.error().detail.find("openrouter") != std::string::npos);
}

TEST_CASE("a key is sent only in the header that its provider reads") {
  const auto chat = request_headers(preset("openai").value(), "sk-1\r\n", true).value();
  CHECK(value_of(chat, "authorization") == "Bearer sk-1");
  CHECK(value_of(chat, "x-api-key") == "(none)");
  CHECK(value_of(chat, "accept") == "text/event-stream");
  CHECK(value_of(chat, "anthropic-version") == "(none)");
  const auto messages = request_headers(preset("anthropic").value(), "k", false).value();
  CHECK(value_of(messages, "x-api-key") == "k");
  CHECK(value_of(messages, "authorization") == "(none)");
  CHECK(value_of(messages, "accept") == "application/json");
  CHECK(value_of(messages, "anthropic-version") == "2023-06-01");
  const auto local = request_headers(preset("llama.cpp").value(), "", true).value();
  CHECK(value_of(local, "authorization") == "(none)");
}

TEST_CASE("the operator's headers are added, and cannot corrupt the request") {
  auto p = preset("anthropic").value();
  p.extra_headers = {{"Anthropic-Version", "2030-01-01"}, {"x-title", "kevolve"}};
  const auto headers = request_headers(p, "k", true).value();
  CHECK(value_of(headers, "anthropic-version") == "2030-01-01");
  CHECK(value_of(headers, "x-title") == "kevolve");
  CHECK(headers.size() == 5);
  for (const auto& bad : header_list{{"x y", "1"},
                                     {"", "1"},
                                     {"x:", "1"},
                                     {"x", "a\r\nhost: evil"},
                                     {"x\n", "1"},
                                     {"Host", "evil"},
                                     {"content-length", "0"},
                                     {"Transfer-Encoding", "chunked"},
                                     {"CONTENT-TYPE", "text/plain"}}) {
    p.extra_headers = {bad};
    CAPTURE(bad.first);
    CHECK_FALSE(request_headers(p, "k", true).has_value());
  }
  p.extra_headers.clear();
  const auto no = request_headers(p, "sk-secret\nx: y", true);
  REQUIRE_FALSE(no.has_value());
  CHECK(no.error().detail.find("sk-secret") == std::string::npos);
}
