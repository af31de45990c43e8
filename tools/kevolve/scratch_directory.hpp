// Holds the data directory of a verb that keeps nothing.
#pragma once

#include "runtime/base/result.hpp"

#include <string>

namespace kevolve {

// The named directory, or a temporary one that is removed with this object.
class scratch_directory {
public:
  explicit scratch_directory(std::string named) : path_(std::move(named)) {}
  scratch_directory(const scratch_directory&) = delete;
  scratch_directory& operator=(const scratch_directory&) = delete;
  ~scratch_directory() { remove(); }
  void remove();
  // Removes what killed processes have left of theirs, too.
  result<std::string> make();

private:
  std::string path_;
  bool ours_ = false;
};

} // namespace kevolve
