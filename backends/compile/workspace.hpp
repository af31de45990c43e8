// The server's scratch folder, the only place where a compiler may write. There is one per server. It is emptied before
// every job and removed at the end.
#pragma once

#include "runtime/base/result.hpp"

#include <cstdint>
#include <string>
#include <string_view>

namespace kevolve {

class workspace {
public:
  // Makes the folder below `parent` and removes folders of servers that died.
  static result<workspace> make(const std::string& parent);
  workspace(workspace&& other) noexcept;
  workspace& operator=(workspace&&) = delete;
  ~workspace();

  const std::string& path() const { return path_; }
  result<void> empty() const;
  result<void> write(const std::string& name, std::string_view content) const;
  // Returns a file's bytes. errc::not_found: there is no such file. errc::bad_input: it is larger than `most`; with
  // `cut`, the first `most` bytes are returned instead.
  result<std::string> read(const std::string& name, size_t most, bool cut = false) const;
  // Returns true if a file of a few MiB cannot be written here any more.
  bool full() const;

private:
  explicit workspace(std::string path) : path_(std::move(path)) {}
  std::string path_;
};

} // namespace kevolve
