// Instantiates what tests of JSON documents use of doctest, for the headers that are parsed once.
#pragma once

#include "cmake/parsed_json.hpp"

#include <doctest/doctest.h>

#include <cstdint>
#include <string>

namespace kevolve::parsed_headers {

inline void checks(nlohmann::ordered_json& a, const nlohmann::ordered_json& b, const std::string& text) {
  CHECK(a == b);
  CHECK(a == text);
  CHECK(a == "text");
  CHECK(a == true);
  CHECK(a == 1);
  CHECK(a == 1U);
  CHECK(a == uint64_t{1});
  CHECK(b == a);
  CHECK(b == text);
  CHECK(b == "text");
  CHECK(b == 1);
  CHECK(text == "text");
  CHECK(text.size() == 1);
  CAPTURE(a.dump());
  CAPTURE(text);
  REQUIRE(a.size() == b.size());
  REQUIRE_MESSAGE(b.contains("text"), b.dump());
}

} // namespace kevolve::parsed_headers
