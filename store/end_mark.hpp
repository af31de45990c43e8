// The end of the log at the last acknowledged commit, in a separate file. Damage in the write-ahead log shortens the
// store to a prefix that looks complete; the mark shows how much is lost. After a power cut it may be too low, and then
// proves nothing, but it is never too high.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace kevolve {

class end_mark {
public:
  static constexpr const char* file = "events.end"; // in the data directory

  end_mark() = default;
  // Opens the file for writing and makes it if necessary.
  explicit end_mark(const std::string& data_dir);
  end_mark(end_mark&& other) noexcept;
  end_mark& operator=(end_mark&& other) noexcept;
  ~end_mark();

  // Writes the mark without a sync. A failure is harmless: the mark is then too low.
  void set(uint64_t last_sequence);

  // Returns nothing if there is no mark or it cannot be read.
  static std::optional<uint64_t> read(const std::string& data_dir);
  // Returns what is wrong with the file; empty if it is valid, absent or empty.
  static std::string damaged(const std::string& data_dir);
  // Returns a message about lost events; empty if no loss is known.
  static std::string lost(const std::string& data_dir, uint64_t last_sequence);

private:
  int fd_ = -1;
};

} // namespace kevolve
