#include "runtime/base/base64.hpp"

#include <doctest/doctest.h>

#include <string>
#include <utility>

using namespace kevolve;

TEST_CASE("base64 is that of RFC 4648, with padding") {
  for (const auto& [bytes, text] : {std::pair{"", ""},
                                    {"f", "Zg=="},
                                    {"fo", "Zm8="},
                                    {"foo", "Zm9v"},
                                    {"foob", "Zm9vYg=="},
                                    {"fooba", "Zm9vYmE="},
                                    {"foobar", "Zm9vYmFy"}}) {
    CHECK(to_base64(bytes) == text);
    CHECK(from_base64(text).value() == bytes);
  }
  std::string all;
  for (int i = 0; i < 256; ++i)
    all += static_cast<char>(i);
  CHECK(from_base64(to_base64(all)).value() == all);
}

TEST_CASE("a text that is no base64 is refused") {
  for (const auto* text : {"Zg=", "Z", "Zm9v!mFy", "a b c d "})
    CHECK_MESSAGE(!from_base64(text).has_value(), text);
}
