#include "runtime/base/reserved.hpp"
#include "runtime/base/verdict.hpp"

#include <doctest/doctest.h>

#include <set>
#include <string>
#include <utility>

using namespace kevolve;

TEST_CASE("a reserved name is told with what to do without it") {
  CHECK(not_there_yet(reserved_place::generator, "replay", {"transform", "llm"})
        == "generator 'replay' is not there yet; use one of transform, llm");
  CHECK(not_there_yet(reserved_place::argument_setting, "alias")
        == "argument setting 'alias' is not there yet; buffers that overlap are not judged: leave it out");
  std::set<std::pair<reserved_place, std::string>> seen;
  for (const auto& n : reserved_names()) {
    CHECK(seen.insert({n.place, std::string{n.name}}).second);
    CHECK_FALSE(n.advice.empty());
  }
  CHECK(seen.size() == 5);
}

TEST_CASE("a name is reserved in its own place alone") {
  CHECK(is_reserved(reserved_place::generator, "replay"));
  CHECK_FALSE(is_reserved(reserved_place::policy, "replay"));
  CHECK_FALSE(is_reserved(reserved_place::generator, "llm"));
}

TEST_CASE("the tier framework is reserved, and the others are not") {
  for (auto t : {trust_tier::device_code, trust_tier::native, trust_tier::framework})
    CHECK(is_reserved(reserved_place::trust_tier, to_string(t)) == (t == trust_tier::framework));
}
