// A list of indices of nodes, most often one or two: a tree keeps one for each of its nodes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <limits>
#include <memory>
#include <utility>
#include <vector>

namespace kevolve {

// Holds two indices in place, in sixteen bytes, and any further ones on the heap.
class index_list {
public:
  class iterator {
  public:
    using iterator_category = std::input_iterator_tag;
    using value_type = uint64_t;
    using difference_type = std::ptrdiff_t;
    using pointer = const uint64_t*;
    using reference = uint64_t;

    iterator(const index_list& of, size_t at) : of_(&of), at_(at) {}
    uint64_t operator*() const { return (*of_)[at_]; }
    iterator& operator++() {
      ++at_;
      return *this;
    }
    bool operator==(const iterator& other) const { return at_ == other.at_; }

  private:
    const index_list* of_;
    size_t at_;
  };

  index_list() = default;
  explicit index_list(const std::vector<uint64_t>& from) {
    for (const auto x : from)
      push_back(x);
  }
  index_list(const index_list& other)
      : near_{other.near_[0], other.near_[1]},
        far_(other.far_ ? std::make_unique<std::vector<uint32_t>>(*other.far_) : nullptr) {}
  index_list(index_list&&) noexcept = default;
  index_list& operator=(index_list other) noexcept {
    std::swap(near_, other.near_);
    std::swap(far_, other.far_);
    return *this;
  }
  ~index_list() = default;

  void push_back(uint64_t index) {
    const auto x = static_cast<uint32_t>(index);
    if (const auto n = size(); n < 2)
      near_[n] = x;
    else {
      if (!far_)
        far_ = std::make_unique<std::vector<uint32_t>>();
      far_->push_back(x);
    }
  }
  size_t size() const {
    const size_t near = near_[0] == none ? 0 : near_[1] == none ? 1 : 2;
    return far_ ? near + far_->size() : near;
  }
  bool empty() const { return near_[0] == none; }
  uint64_t front() const { return near_[0]; }
  uint64_t operator[](size_t i) const { return i < 2 ? near_[i] : (*far_)[i - 2]; }
  iterator begin() const { return {*this, 0}; }
  iterator end() const { return {*this, size()}; }
  operator std::vector<uint64_t>() const { // NOLINT(google-explicit-constructor): the same values
    std::vector<uint64_t> out;
    for (const auto x : *this)
      out.push_back(x);
    return out;
  }
  bool operator==(const std::vector<uint64_t>& other) const { return std::vector<uint64_t>{*this} == other; }

private:
  static constexpr uint32_t none = std::numeric_limits<uint32_t>::max();

  uint32_t near_[2] = {none, none};
  std::unique_ptr<std::vector<uint32_t>> far_;
};

} // namespace kevolve
