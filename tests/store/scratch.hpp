// A separate directory for each test, and helpers that make a store's contents.
#pragma once

#include "store/store.hpp"

#include <doctest/doctest.h>

#include <cstdlib>
#include <filesystem>
#include <string>

namespace kevolve::test {

class scratch_directory {
public:
  scratch_directory() {
    path_ = (std::filesystem::temp_directory_path() / "kevolve-store-XXXXXX").string();
    REQUIRE(::mkdtemp(path_.data()) != nullptr);
  }
  ~scratch_directory() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  scratch_directory(const scratch_directory&) = delete;
  scratch_directory& operator=(const scratch_directory&) = delete;

  const std::string& path() const { return path_; }

private:
  std::string path_;
};

inline const id128 red{1, 2};
inline const id128 blue{3, 4};

inline event_record make_event(id128 campaign, std::string payload) {
  event_record e;
  e.campaign = campaign;
  e.time_ns = 1234;
  e.kind = 7;
  e.version = 3;
  e.payload = std::move(payload);
  return e;
}

inline transaction make_transaction(id128 campaign, std::string payload) {
  return {{make_event(campaign, std::move(payload))}, {}};
}

inline result<std::vector<uint64_t>> commit_one(store& s, transaction t) {
  return s.commit({&t, 1});
}

inline std::unique_ptr<store> open_store(const std::string& directory, const store_options& options = {}) {
  auto opened = store::open(directory, options);
  if (!opened)
    FAIL(to_string(opened.error()));
  return std::move(*opened);
}

// Returns the payloads of the global log; fails the test if it has a hole or a damaged record.
inline std::vector<std::string> payloads(const store& s) {
  auto events = s.read_global(1, SIZE_MAX);
  if (!events)
    FAIL(to_string(events.error()));
  std::vector<std::string> out;
  for (auto& e : *events)
    out.push_back(std::move(e.payload));
  return out;
}

} // namespace kevolve::test
