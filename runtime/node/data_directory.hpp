// Checks of a data directory before anything is made in it.
#pragma once

#include "runtime/base/result.hpp"

#include <cstdint>
#include <string>

namespace kevolve {

// Checks a path. errc::bad_input if the path has no name or is not a directory.
result<void> may_be_data_directory(const std::string& path);

// Fails with errc::no_space, with the free and the required size, unless `reserve_bytes` are free, and at least the
// size of a node's first writes.
result<void> has_room(const std::string& data_dir, uint64_t reserve_bytes);

// The key of `meta` with the name of the cluster that keeps the node's campaigns, as of its last start; empty: none
// does.
inline constexpr const char* keeping_cluster = "node/cluster";

// Removes the copies ("fsck-…") that an interrupted check left. Only for the process that owns the directory.
void remove_leftovers(const std::string& data_dir);

} // namespace kevolve
