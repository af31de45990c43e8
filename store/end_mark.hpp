// Where the log ended at the last acknowledged commit, in a file of its own beside the store. Damage in the
// write-ahead log shortens the store to a prefix that looks whole; the mark tells how much is gone. It may lag
// behind after a power cut and is then no witness, but it is never ahead.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace kevolve {

class end_mark {
public:
  static constexpr const char* file = "events.end"; // in the data directory

  end_mark() = default;
  // For writing; makes the file.
  explicit end_mark(const std::string& data_dir);
  end_mark(end_mark&& other) noexcept;
  end_mark& operator=(end_mark&& other) noexcept;
  ~end_mark();

  // Not synced, and a failure is no harm: the mark lags behind.
  void set(uint64_t last_sequence);

  // Nothing if there is no mark, or none that can be read.
  static std::optional<uint64_t> read(const std::string& data_dir);
  // Empty: there is none, or it says something. Else what is wrong with the file.
  static std::string damaged(const std::string& data_dir);
  // Empty: nothing is known to be lost. Else what to tell.
  static std::string lost(const std::string& data_dir, uint64_t last_sequence);

private:
  int fd_ = -1;
};

} // namespace kevolve
