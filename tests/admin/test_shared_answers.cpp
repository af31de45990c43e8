#include "runtime/node/admin/shared_answers.hpp"

#include <doctest/doctest.h>

#include <string>

using namespace kevolve;
using namespace std::chrono_literals;

namespace {

api_response said(std::string body, unsigned status = 200) {
  api_response out;
  out.status = status;
  out.body = std::move(body);
  return out;
}

} // namespace

TEST_CASE("an answer is shared with equal requests shortly after, until something has changed") {
  shared_answers a{200ms};
  const shared_answers::clock::time_point begin{};
  CHECK_FALSE(a.find("/v1/actors", 7, begin));
  a.keep("/v1/actors", 7, said("one"), begin);
  REQUIRE(a.find("/v1/actors", 7, begin + 199ms));
  CHECK(a.find("/v1/actors", 7, begin + 199ms)->body == "one");
  CHECK_FALSE(a.find("/v1/actors", 7, begin + 200ms));
  CHECK_FALSE(a.find("/v1/actors", 8, begin));
  CHECK_FALSE(a.find("/v1/actors?limit=2", 7, begin));
  a.keep("/v1/actors", 8, said("two"), begin + 10ms);
  CHECK(a.find("/v1/actors", 8, begin + 10ms)->body == "two");
  a.clear();
  CHECK_FALSE(a.find("/v1/actors", 8, begin + 10ms));
}

TEST_CASE("refusals and very long answers are not cached, and only a few are kept") {
  shared_answers a{200ms};
  const shared_answers::clock::time_point begin{};
  a.keep("/refused", 0, said("no", 404), begin);
  CHECK_FALSE(a.find("/refused", 0, begin));
  a.keep("/long", 0, said(std::string(1'000'000, 'x')), begin);
  CHECK_FALSE(a.find("/long", 0, begin));
  for (int i = 0; i < 64; ++i)
    a.keep("/" + std::to_string(i), 0, said("x"), begin);
  CHECK(a.find("/63", 0, begin));
  a.keep("/64", 0, said("x"), begin + 100ms);
  CHECK_FALSE(a.find("/64", 0, begin + 100ms));
  a.keep("/64", 0, said("x"), begin + 300ms); // the other answers have expired
  CHECK(a.find("/64", 0, begin + 300ms));
}
