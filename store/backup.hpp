// Copies a store that is in use, and restores it. The copy is a data directory of its own, without token and logs. It
// holds backup.sha256, the digest of every file in the format of sha256sum -c. It shares nothing with the original, so
// damage to one does not affect the other.
#pragma once

#include "store/store.hpp"

#include <cstdint>
#include <string>

namespace kevolve {

struct backup_report {
  std::string directory;
  uint64_t files = 0;
  uint64_t bytes = 0;
  uint64_t last_event = 0; // global sequence
};

// Only a temporary copy for a check may lie inside the data directory.
enum class copy_place : uint8_t { outside, inside };

// Makes a backup that appears when it is complete. errc::conflict if `out` exists and is not empty. errc::bad_input if
// it lies inside the data directory, another one or a backup.
result<backup_report> backup(const store& data, const std::string& out, copy_place where = copy_place::outside);

// Checks that every file is as it was when the backup was made. errc::not_found if `from` is no backup; errc::corrupt.
result<backup_report> verify_backup(const std::string& from);

// Verifies the backup, then makes `data_dir`. It must be absent or empty (errc::conflict) and lie in no data directory
// and no backup (errc::bad_input).
result<backup_report> restore(const std::string& from, const std::string& data_dir);

} // namespace kevolve
