// Whether a data directory can be worked in, asked before anything is made in it.
#pragma once

#include "runtime/base/result.hpp"

#include <cstdint>
#include <string>

namespace kevolve {

// errc::bad_input if something else than a directory is there.
result<void> may_be_data_directory(const std::string& path);

// errc::no_space, with what is free and what is wanted, unless `reserve_bytes` are free there, and at least what a node
// writes before it can say anything.
result<void> has_room(const std::string& data_dir, uint64_t reserve_bytes);

// Copies that a check, or a backup, was cut short of taking away. For who has the directory to itself.
void remove_leftovers(const std::string& data_dir);

} // namespace kevolve
