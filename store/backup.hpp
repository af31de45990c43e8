// A copy of a store that is in use, and the way back. The copy is a data directory of its own, without token and
// logs, and holds backup.sha256: the digest of every file, as sha256sum -c reads it. Nothing in it is shared with
// the original, so damage to the one is not damage to the other.
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

// Only a copy that is looked at and removed may lie inside the data directory.
enum class copy_place : uint8_t { outside, inside };

// errc::conflict if `out` is there and not empty, errc::bad_input if it lies inside the data directory, another one or
// a backup. It appears when it is whole.
result<backup_report> backup(const store& data, const std::string& out, copy_place where = copy_place::outside);

// Whether every file is as it was when the backup was made; errc::not_found if `from` is no backup, errc::corrupt.
result<backup_report> verify_backup(const std::string& from);

// Verifies, then makes `data_dir`, which must be absent or empty (errc::conflict) and lie in no data directory and no
// backup (errc::bad_input).
result<backup_report> restore(const std::string& from, const std::string& data_dir);

} // namespace kevolve
