// Bulk memory of the judge: 64-byte aligned, in huge pages for large buffers, and movable but not copyable.
#pragma once

#include <cstddef>
#include <cstring>
#include <utility>

namespace kevolve {

class byte_buffer {
public:
  byte_buffer() = default;
  // Allocates zeroed bytes. Throws std::bad_alloc.
  explicit byte_buffer(size_t bytes);
  byte_buffer(byte_buffer&& other) noexcept
      : data_(std::exchange(other.data_, nullptr)), size_(std::exchange(other.size_, 0)) {}
  byte_buffer& operator=(byte_buffer&& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
    return *this;
  }
  byte_buffer(const byte_buffer&) = delete;
  byte_buffer& operator=(const byte_buffer&) = delete;
  ~byte_buffer();

  std::byte* data() { return data_; }
  const std::byte* data() const { return data_; }
  size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }

  template <class T>
  T* as() {
    return reinterpret_cast<T*>(data_);
  }
  template <class T>
  const T* as() const {
    return reinterpret_cast<const T*>(data_);
  }

private:
  std::byte* data_ = nullptr;
  size_t size_ = 0;
};

} // namespace kevolve
