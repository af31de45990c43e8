// A folder in TMPDIR that lives as long as the object.
#pragma once

#include <stdlib.h>

#include <cstdlib>
#include <filesystem>
#include <string>
#include <system_error>

namespace kevolve::cuda {

class scratch_folder {
public:
  explicit scratch_folder(const std::string& name) {
    const auto* base = std::getenv("TMPDIR");
    path_ = std::string{base != nullptr ? base : "/tmp"} + "/" + name + "-XXXXXX";
    if (mkdtemp(path_.data()) == nullptr)
      path_.clear();
  }
  scratch_folder(const scratch_folder&) = delete;
  scratch_folder& operator=(const scratch_folder&) = delete;
  ~scratch_folder() {
    std::error_code ignored;
    if (!path_.empty())
      std::filesystem::remove_all(path_, ignored);
  }
  // Returns the path; empty: it could not be made.
  const std::string& path() const { return path_; }

private:
  std::string path_;
};

} // namespace kevolve::cuda
