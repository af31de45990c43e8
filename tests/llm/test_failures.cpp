#include "backends/llm/protocol/failure.hpp"
#include "tests/llm/data.hpp"

#include <doctest/doctest.h>

#include <set>

using namespace kevolve::llm;
using namespace kevolve::llm::testing;

namespace {

// 1994-11-06T08:49:37Z, as in the table's date headers.
const instant now = parse_date("Sun, 06 Nov 1994 08:49:37 GMT").value();

} // namespace

TEST_CASE("hostile answers map to class, action and delay") {
  const auto table = read_table("answers.json");
  CHECK(table.size() >= 40);
  std::set<std::string> names;
  for (const auto& row : table) {
    const auto name = row["name"].get<std::string>();
    CAPTURE(name);
    CHECK(names.insert(name).second);
    header_list headers;
    for (const auto& [key, value] : row["headers"].items())
      headers.emplace_back(key, value.get<std::string>());
    const auto& want = row["expect"];
    const auto r = remedy_for_answer(row["status"].get<int>(), headers, row["body"].get<std::string>(), now);
    CHECK(to_string(r.what) == want["class"].get<std::string>());
    CHECK(to_string(r.action) == want["action"].get<std::string>());
    CHECK(r.delay.has_value() == want.contains("delay_ms"));
    if (want.contains("delay_ms"))
      CHECK(r.delay.value_or(milliseconds{}).count() == want["delay_ms"].get<int64_t>());
    CHECK(r.words.rfind(to_string(r.what), 0) == 0);
    for (char c : r.words)
      CHECK((static_cast<unsigned char>(c) >= 0x20 || c == '\n'));
  }
}

TEST_CASE("advice is given for errors that a person can fix") {
  const auto words = [](int status) { return remedy_for_answer(status, {}, "", now).words; };
  CHECK(words(401).find("check the key") != std::string::npos);
  CHECK(words(402).find("add credit") != std::string::npos);
  CHECK(words(404).find("base URL") != std::string::npos);
  CHECK(words(302).find("not followed") != std::string::npos);
}

TEST_CASE("a web page as answer suggests checking the base URL") {
  const auto words = [](std::string_view body) { return remedy_for_answer(200, {}, body, instant{}, {}).words; };
  CHECK(words("\xef\xbb\xbf \n<!doctype html><p>Sign in</p>").find("check the provider's base URL")
        != std::string::npos);
  CHECK(words("{\"hello\": 1}").find("base URL") == std::string::npos);
}

TEST_CASE("an error's message is shortened") {
  const auto r = remedy_for_answer(500, {}, std::string(3'000'000, 'x'), now);
  CHECK(r.words.size() < 3'000);
}

TEST_CASE("a key repeated by a provider is removed") {
  const auto r = remedy_for_answer(
      401, {},
      R"({"error":{"message":"Incorrect API key provided: sk-proj-Abc123Def456Ghi789Jkl012.","code":"invalid_api_key"}})",
      now);
  CHECK(r.what == failure_class::auth);
  CHECK(r.words.find("Abc123") == std::string::npos);
}

TEST_CASE("a reply beyond our limits is not requested again") {
  reply_error e;
  e.origin = error_origin::too_large;
  CHECK(remedy_for_reply(e, now).action == failure_action::next_provider);
  e.origin = error_origin::malformed;
  CHECK(remedy_for_reply(e, now).action == failure_action::retry);
}

TEST_CASE("failed connections map to their class") {
  struct row {
    transport_trouble trouble;
    failure_class what;
    failure_action action;
  };
  for (const auto& x : {row{transport_trouble::unreachable, failure_class::network, failure_action::retry},
                        row{transport_trouble::reset, failure_class::network, failure_action::retry},
                        row{transport_trouble::name_not_found, failure_class::network, failure_action::retry},
                        row{transport_trouble::tls_failed, failure_class::tls, failure_action::hold_provider},
                        row{transport_trouble::timed_out, failure_class::timeout, failure_action::retry},
                        row{transport_trouble::stalled, failure_class::stalled, failure_action::retry}}) {
    const auto r = remedy_for_transport(x.trouble);
    CHECK(r.what == x.what);
    CHECK(r.action == x.action);
    CHECK_FALSE(r.words.empty());
  }
}

TEST_CASE("every class and action has its own name") {
  std::set<std::string> names;
  for (int i = 0; i <= static_cast<int>(last_value(failure_class{})); ++i)
    CHECK(names.insert(to_string(static_cast<failure_class>(i))).second);
  CHECK(names.count("none") == 1);
  CHECK(to_string(failure_class::unknown) == "unknown");
  CHECK(to_string(failure_class::malformed_output) == "malformed_output");
}

TEST_CASE("attempts are limited, and waits are the requested time plus jitter") {
  failure_rules rules;
  rules.most_attempts = 3;
  remedy r;
  r.what = failure_class::rate_limited;
  r.action = failure_action::retry;
  r.delay = milliseconds{1'000};
  const auto first = after_attempt(r, 0, 7, rules);
  CHECK(first.action == failure_action::retry);
  CHECK(first.delay.value() >= milliseconds{1'000});
  CHECK(first.delay.value() <= milliseconds{1'500});
  CHECK(after_attempt(r, 1, 7, rules).action == failure_action::retry);
  const auto last = after_attempt(r, 2, 7, rules);
  CHECK(last.action == failure_action::next_provider);
  CHECK(last.words.find("3 attempts") != std::string::npos);
  r.action = failure_action::hold_provider;
  r.delay.reset();
  CHECK_FALSE(after_attempt(r, 0, 7, rules).delay.has_value());
}

TEST_CASE("a complete reply may still be no answer") {
  reply r;
  r.complete = true;
  r.finish = finish_reason::stop;
  r.text = "x";
  CHECK_FALSE(remedy_for_finish(r).has_value());
  r.refusal = "a word of warning"; // comes beside an answer
  CHECK_FALSE(remedy_for_finish(r).has_value());
  r.text.clear();
  CHECK(remedy_for_finish(r)->what == failure_class::content_refused);
  r.calls.push_back({});
  CHECK_FALSE(remedy_for_finish(r).has_value());
}
