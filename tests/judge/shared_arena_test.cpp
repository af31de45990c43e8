// What the memory between judge and candidates keeps from one launch to the next: nothing.
#include "backends/cpu/judge/shared_arena.hpp"

#include <doctest/doctest.h>

#include <sys/mman.h>
#include <sys/stat.h>

#include <algorithm>

using namespace kevolve;

TEST_CASE("preparing the arena wipes all of its file, mapped or not") {
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
