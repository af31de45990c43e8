// Maps the arena at an address that allows huge pages, in the judge and in its children.
#pragma once

#include <sys/mman.h>

#include <cstddef>
#include <cstdint>

namespace kevolve {

inline constexpr size_t huge_page = size_t{2} << 20U;

// Maps `bytes` of the file, shared, readable and writable, at an address aligned for huge pages. Returns MAP_FAILED and
// sets errno on failure.
inline void* map_arena_file(int fd, size_t bytes) {
  constexpr int access = PROT_READ | PROT_WRITE;
  if (bytes < huge_page)
    return mmap(nullptr, bytes, access, MAP_SHARED, fd, 0);
  auto* room = mmap(nullptr, bytes + huge_page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (room == MAP_FAILED)
    return MAP_FAILED;
  auto* begin = static_cast<std::byte*>(room);
  const auto before = (huge_page - reinterpret_cast<uintptr_t>(begin) % huge_page) % huge_page;
  auto* wanted = begin + before;
  if (before > 0)
    munmap(begin, before);
  munmap(wanted + bytes, huge_page - before);
  return mmap(wanted, bytes, access, MAP_SHARED | MAP_FIXED, fd, 0);
}

} // namespace kevolve
