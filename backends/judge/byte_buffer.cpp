#include "backends/judge/byte_buffer.hpp"

#include <sys/mman.h>

#include <cstdlib>
#include <new>

namespace kevolve {

namespace {

// Smaller buffers are not worth their own mapping.
constexpr size_t mapped_from_bytes = size_t{2} << 20U;

} // namespace

byte_buffer::byte_buffer(size_t bytes) : size_(bytes) {
  if (bytes == 0)
    return;
  if (bytes >= mapped_from_bytes) {
    auto* p = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (p == MAP_FAILED)
      throw std::bad_alloc{};
    madvise(p, bytes, MADV_HUGEPAGE);
    data_ = static_cast<std::byte*>(p);
    return;
  }
  auto* p = std::aligned_alloc(64, (bytes + 63) / 64 * 64);
  if (p == nullptr)
    throw std::bad_alloc{};
  std::memset(p, 0, bytes);
  data_ = static_cast<std::byte*>(p);
}

byte_buffer::~byte_buffer() {
  if (data_ == nullptr)
    return;
  if (size_ >= mapped_from_bytes)
    munmap(data_, size_);
  else
    std::free(data_);
}

} // namespace kevolve
