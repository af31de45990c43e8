// A store in its own folder, which is removed at the end.
#pragma once

#include "store/store.hpp"

#include <doctest/doctest.h>

#include <cstdlib>
#include <filesystem>
#include <memory>
#include <string>

namespace kevolve {

struct temporary_store {
  std::string dir;
  std::shared_ptr<store> data;

  explicit temporary_store(const store_options& options = {}) {
    auto pattern = (std::filesystem::temp_directory_path() / "kevolve-actors-XXXXXX").string();
    REQUIRE(::mkdtemp(pattern.data()) != nullptr);
    dir = pattern;
    auto s = store::open(dir, options);
    REQUIRE(s);
    data = std::move(*s);
  }
  ~temporary_store() {
    data.reset();
    std::error_code ec;
    std::filesystem::remove_all(dir, ec);
  }
  temporary_store(const temporary_store&) = delete;
  temporary_store& operator=(const temporary_store&) = delete;
};

} // namespace kevolve
