// The server's scratch folder: one per server, emptied before every job, removed at the end. It is the only place a
// compiler may write.
#pragma once

#include "runtime/base/result.hpp"

#include <cstdint>
#include <string>
#include <string_view>

namespace kevolve {

class workspace {
public:
  // Makes the folder below `parent` and removes those of servers that died.
  static result<workspace> make(const std::string& parent);
  workspace(workspace&& other) noexcept;
  workspace& operator=(workspace&&) = delete;
  ~workspace();

  const std::string& path() const { return path_; }
  result<void> empty() const;
  result<void> write(const std::string& name, std::string_view content) const;
  // errc::not_found if absent, errc::bad_input if larger than `most`; with `cut`, the first `most` bytes instead.
  result<std::string> read(const std::string& name, size_t most, bool cut = false) const;
  // True if a file of a few MiB cannot be written here any more.
  bool full() const;

private:
  explicit workspace(std::string path) : path_(std::move(path)) {}
  std::string path_;
};

} // namespace kevolve
