// Tests filling, checking and comparing byte ranges at every alignment, with a difference at any place.
#include "backends/judge/byte_buffer.hpp"
#include "backends/judge/pattern.hpp"

#include <doctest/doctest.h>

#include <cstring>

using namespace kevolve;

namespace {

constexpr uint64_t pattern = 0x0123'4567'89ab'cdefULL;

std::byte wanted(size_t i) {
  return static_cast<std::byte>(pattern >> (8 * (i % 8)));
}

} // namespace

TEST_CASE("a range is filled without its neighbours") {
  byte_buffer b(256);
  for (size_t from = 0; from < 20; ++from)
    for (size_t to : {from, from + 1, from + 7, from + 8, from + 65, size_t{200}}) {
      std::memset(b.data(), 0x55, b.size());
      paint(b.data(), from, to, pattern);
      for (size_t i = 0; i < b.size(); ++i)
        REQUIRE(b.data()[i] == (i >= from && i < to ? wanted(i) : std::byte{0x55}));
      CHECK(holds(b.data(), from, to, pattern));
    }
}

TEST_CASE("one wrong byte is found anywhere inside the range and ignored outside") {
  byte_buffer b(512);
  paint(b.data(), 0, b.size(), pattern);
  for (size_t i = 0; i < b.size(); ++i) {
    b.data()[i] ^= std::byte{1};
    CHECK(holds(b.data(), 3, 509, pattern) == (i < 3 || i >= 509));
    b.data()[i] ^= std::byte{1};
  }
}

TEST_CASE("byte ranges are compared exactly, whatever their length and place") {
  constexpr size_t most = 40'000; // more than two of the blocks that are compared at once
  byte_buffer a(most + 8);
  byte_buffer b(most + 8);
  for (size_t shift : {size_t{0}, size_t{3}})
    for (size_t bytes : {size_t{0}, size_t{1}, size_t{16'384}, size_t{16'385}, most}) {
      auto* x = a.data() + shift;
      auto* y = b.data();
      std::memset(x, 7, bytes);
      std::memset(y, 7, bytes);
      CHECK(same_bytes(x, y, bytes));
      for (size_t at : {size_t{0}, bytes / 2, bytes - 1})
        if (at < bytes) {
          y[at] = std::byte{8};
          CHECK_FALSE(same_bytes(x, y, bytes));
          y[at] = std::byte{7};
        }
    }
}
