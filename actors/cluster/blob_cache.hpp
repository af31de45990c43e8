// Bytes by their SHA-256, up to a total size; those that were not used for longest go first.
#pragma once

#include <cstddef>
#include <list>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>

namespace kevolve {

class blob_cache {
public:
  explicit blob_cache(size_t most_bytes = size_t{256} << 20U) : most_(most_bytes) {}

  std::optional<std::string> find(const std::string& digest) {
    const auto found = by_digest_.find(digest);
    if (found == by_digest_.end())
      return std::nullopt;
    order_.splice(order_.begin(), order_, found->second);
    return found->second->second;
  }

  void keep(const std::string& digest, std::string bytes) {
    if (by_digest_.contains(digest) || bytes.size() > most_)
      return;
    size_ += bytes.size();
    order_.emplace_front(digest, std::move(bytes));
    by_digest_[digest] = order_.begin();
    while (size_ > most_) {
      size_ -= order_.back().second.size();
      by_digest_.erase(order_.back().first);
      order_.pop_back();
    }
  }

  size_t bytes() const { return size_; }

private:
  size_t most_;
  size_t size_ = 0;
  std::list<std::pair<std::string, std::string>> order_; // used most recently first
  std::unordered_map<std::string, std::list<std::pair<std::string, std::string>>::iterator> by_digest_;
};

} // namespace kevolve
