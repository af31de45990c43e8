#include "runtime/base/codec.hpp"
#include "runtime/base/ids.hpp"
#include "runtime/base/verdict.hpp"

#include <doctest/doctest.h>

#include <array>
#include <cerrno>
#include <cmath>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

using namespace kevolve;

namespace {

struct inner {
  std::string name;
  std::vector<double> samples;
};

struct everything {
  bool flag = false;
  int8_t small = 0;
  uint16_t word = 0;
  int64_t large = 0;
  uint64_t hash = 0;
  float ratio = 0.0F;
  double time = 0.0;
  verdict said = verdict::none;
  std::string text;
  std::vector<inner> list;
  std::map<std::string, int64_t> sizes;
  std::pair<std::string, uint32_t> pair;
  std::array<int32_t, 3> triple{};
  id128 id;
  std::optional<int32_t> told;
  std::optional<std::vector<std::string>> untold;
};

template <class I>
typename I::result_type inspect(I& f, inner& x) {
  return f(x.name, x.samples);
}
template <class I>
typename I::result_type inspect(I& f, everything& x) {
  return f(x.flag, x.small, x.word, x.large, x.hash, x.ratio, x.time, x.said, x.text, x.list, x.sizes, x.pair, x.triple,
           x.id, x.told, x.untold);
}

everything example() {
  everything x;
  x.flag = true;
  x.small = -128;
  x.word = 65535;
  x.large = std::numeric_limits<int64_t>::min();
  x.hash = std::numeric_limits<uint64_t>::max();
  x.ratio = -0.0F;
  x.time = std::numeric_limits<double>::infinity();
  x.said = verdict::faster_than_physics;
  x.text = std::string{"a\0b", 3};
  x.list = {{"one", {1.5, -2.5}}, {"", {}}};
  x.sizes = {{"rows", 3}, {"cols", -1}};
  x.pair = {"p", 9};
  x.triple = {1, -2, 3};
  x.id = {1, 2};
  x.told = 0;
  return x;
}

} // namespace

TEST_CASE("every kind of field survives a round trip") {
  auto x = example();
  auto bytes = encode(x);
  auto y = decode<everything>(bytes);
  REQUIRE(y);
  CHECK(y->flag);
  CHECK(y->small == x.small);
  CHECK(y->word == x.word);
  CHECK(y->large == x.large);
  CHECK(y->hash == x.hash);
  CHECK(std::signbit(y->ratio));
  CHECK(y->time == x.time);
  CHECK(y->said == x.said);
  CHECK(y->text == x.text);
  REQUIRE(y->list.size() == 2);
  CHECK(y->list[0].samples == x.list[0].samples);
  CHECK(y->sizes == x.sizes);
  CHECK(y->pair == x.pair);
  CHECK(y->triple == x.triple);
  CHECK(y->id == x.id);
  CHECK(y->told == 0);
  CHECK_FALSE(y->untold);
  CHECK(encode(*y) == bytes);
}

TEST_CASE("the encoding is little-endian with 32-bit lengths, whatever the machine") {
  CHECK(encode(std::string{"ab"}) == std::string{"\x02\0\0\0ab", 6});
  CHECK(encode(uint32_t{0x01020304}) == "\x04\x03\x02\x01");
  CHECK(encode(std::vector<uint8_t>{7, 8}) == std::string{"\x02\0\0\0\x07\x08", 6});
}

TEST_CASE("every truncation and every extra byte is refused") {
  auto bytes = encode(example());
  for (size_t n = 0; n < bytes.size(); ++n)
    CHECK(!decode<everything>(std::string_view{bytes}.substr(0, n)));
  auto longer = decode<everything>(bytes + "x");
  REQUIRE(!longer);
  CHECK(longer.error().code == errc::corrupt);
}

TEST_CASE("an optional value is one byte, and the value after it if present") {
  CHECK(encode(std::optional<uint8_t>{}) == std::string(1, '\0'));
  CHECK(encode(std::optional<uint8_t>{7}) == "\x01\x07");
  CHECK(!decode<std::optional<uint8_t>>("\x02\x07"));
  CHECK(!decode<std::optional<uint8_t>>("\x01"));
  REQUIRE(decode<std::optional<uint8_t>>("\x01\x07"));
  CHECK(**decode<std::optional<uint8_t>>("\x01\x07") == 7);
}

TEST_CASE("a hostile length allocates nothing") {
  CHECK(!decode<std::vector<std::string>>(std::string("\xff\xff\xff\xff", 4)));
  CHECK(!decode<std::string>(std::string("\xff\xff\xff\xff", 4)));
}

TEST_CASE("ids print as 32 digits and read back") {
  id128 x{0x0123456789abcdefULL, 0xfedcba9876543210ULL};
  CHECK(to_string(x) == "0123456789abcdeffedcba9876543210");
  CHECK(short_string(x) == "01234567");
  CHECK(parse_id(to_string(x)) == x);
  for (const auto* bad : {"", "0123", "0123456789abcdeffedcba987654321g", "0123456789ABCDEFfedcba9876543210"})
    CHECK(!parse_id(bad));
}

TEST_CASE("a derived id depends on its domain and content alone; random ids differ") {
  CHECK(derive_id("candidate", "x") == derive_id("candidate", "x"));
  CHECK(derive_id("candidate", "x") != derive_id("task", "x"));
  CHECK(derive_id("ab", "c") != derive_id("a", "bc"));
  std::set<id128> ids;
  for (int i = 0; i < 1000; ++i)
    ids.insert(random_id());
  CHECK(ids.size() == 1000);
}

TEST_CASE("an enumeration beyond its last value does not decode") {
  CHECK(decode<verdict>(encode(verdict::faster_than_physics)));
  CHECK(decode<verdict>(encode(static_cast<verdict>(16))).error().code == errc::corrupt);
  CHECK(decode<verdict>(encode(static_cast<verdict>(255))).error().code == errc::corrupt);
}

TEST_CASE("a blob's name is its SHA-256") {
  CHECK(sha256_hex("abc") == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
}

TEST_CASE("verdicts have the fixed names and read back") {
  for (auto i = 0; i <= static_cast<int>(verdict::faster_than_physics); ++i) {
    auto v = static_cast<verdict>(i);
    CHECK(parse_verdict(to_string(v)) == v);
  }
  CHECK(to_string(verdict::out_of_bounds) == "out_of_bounds");
  CHECK(parse_verdict("splendid") == verdict::none);
}

TEST_CASE("operating-system errors become failures with a remedy") {
  CHECK(from_errno(ENOSPC, "x").code == errc::no_space);
  CHECK(from_errno(EROFS, "x").code == errc::read_only);
  CHECK(from_errno(ENOENT, "x").code == errc::not_found);
  CHECK(from_errno(EIO, "x").code == errc::io);
  CHECK(to_string(failure{errc::not_found, "campaign 12"}) == "not found: campaign 12");
}

namespace {

struct of_yesterday {
  std::string name;
  std::vector<int32_t> values;
};
struct of_today {
  std::string name;
  std::vector<int32_t> values;
  double level = 0.05;
  uint64_t kept = 500;
};
template <class I>
typename I::result_type inspect(I& f, of_yesterday& x) {
  return f(x.name, x.values);
}
template <class I>
typename I::result_type inspect(I& f, of_today& x) {
  return f(x.name, x.values, x.level, x.kept);
}

} // namespace

TEST_CASE("a record without later fields gets their defaults, if older records are allowed") {
  const auto bytes = encode(of_yesterday{"a", {1, 2}});
  CHECK(!decode<of_today>(bytes));
  auto read = decode_older<of_today>(bytes);
  REQUIRE(read);
  CHECK(read->name == "a");
  CHECK(read->values == std::vector<int32_t>{1, 2});
  CHECK(read->level == 0.05);
  CHECK(read->kept == 500);
  // A field is present or absent. A cut within a field is damage, and so is an empty record.
  for (size_t n = 0; n < bytes.size(); ++n)
    if (n != 4 + 1) // except after the first field
      CHECK(!decode_older<of_today>(bytes.substr(0, n)));
  of_today now{"b", {3}, 0.1, 7};
  auto again = decode_older<of_today>(encode(now));
  REQUIRE(again);
  CHECK(again->level == 0.1);
  CHECK(again->kept == 7);
}
