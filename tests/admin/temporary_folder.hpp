// A folder that is removed with its owner.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <string>

namespace kevolve::test {

class temporary_folder {
public:
  temporary_folder() {
    path_ = (std::filesystem::temp_directory_path() / "kevolve-admin-XXXXXX").string();
    if (::mkdtemp(path_.data()) == nullptr)
      std::abort();
  }
  ~temporary_folder() {
    std::error_code ec;
    std::filesystem::remove_all(path_, ec);
  }
  temporary_folder(const temporary_folder&) = delete;
  temporary_folder& operator=(const temporary_folder&) = delete;
  const std::string& path() const { return path_; }

private:
  std::string path_;
};

} // namespace kevolve::test
