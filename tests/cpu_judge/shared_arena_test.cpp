// Tests that the memory shared by judge and candidates keeps nothing from one launch to the next.
#include "backends/judge/shared_arena.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <cstring>

#include <sys/mman.h>
#include <sys/stat.h>

#include <algorithm>

using namespace kevolve;

TEST_CASE("preparing the arena clears its whole file, mapped or not") {
  shared_arena arena;
  REQUIRE(arena.prepare(size_t{1} << 20U));
  struct stat st = {};
  REQUIRE(fstat(arena.fd(), &st) == 0);
  const auto bytes = static_cast<size_t>(st.st_size);
  REQUIRE(bytes > arena.mapped_bytes());
  auto* all = static_cast<std::byte*>(mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, arena.fd(), 0));
  REQUIRE(all != MAP_FAILED);
  for (size_t smaller : {size_t{1} << 20U, size_t{1} << 16U}) {
    std::fill_n(all, bytes, std::byte{7});
    REQUIRE(arena.prepare(smaller));
    CHECK(std::all_of(all, all + bytes, [](std::byte b) { return b == std::byte{0}; }));
  }
  munmap(all, bytes);
}

TEST_CASE("poison is NaN to every floating type") {
  for (uint64_t i = 0; i < 4'096; ++i) {
    const auto poison = nan_poison(i * 0x9e37'79b9'7f4a'7c15ULL);
    double wide = 0.0;
    std::memcpy(&wide, &poison, sizeof(wide));
    CHECK(std::isnan(wide));
    for (unsigned shift : {0U, 16U, 32U, 48U}) {
      const auto lane = static_cast<uint16_t>(poison >> shift);
      CHECK((lane & 0x7c00U) == 0x7c00U); // f16
      CHECK((lane & 0x03ffU) != 0U);
      CHECK((lane & 0x7f80U) == 0x7f80U); // bf16, and so f32
      CHECK((lane & 0x007fU) != 0U);
    }
  }
}
