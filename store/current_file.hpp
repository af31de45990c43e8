// RocksDB's CURRENT names its MANIFEST, which names all other files. Private to store/.
#pragma once

#include <rocksdb/env.h>

#include <string>

namespace kevolve {

// Which of the two is missing although there are files. Empty: none, or there is no store. RocksDB itself would
// begin a new database over the files, and delete them as left-overs at the next opening.
std::string lost_part(rocksdb::Env* env, const std::string& path);

// Makes a lost CURRENT anew; `newest` is the manifest that it names. Empty: CURRENT is there or no manifest is.
rocksdb::Status point_at_newest_manifest(rocksdb::Env* env, const std::string& path, std::string& newest);

} // namespace kevolve
