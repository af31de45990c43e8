// RocksDB's CURRENT names its MANIFEST, which names all other files. Private to store/.
#pragma once

#include <rocksdb/env.h>

#include <string>

namespace kevolve {

// Returns which of the two is missing although data files exist; empty if none is, or there is no store. RocksDB itself
// would begin a new database over the files and delete them at the next opening.
std::string lost_part(rocksdb::Env* env, const std::string& path);

// Writes a lost CURRENT again; `newest` is the manifest that it names. `newest` is empty if CURRENT exists or no
// manifest does.
rocksdb::Status point_at_newest_manifest(rocksdb::Env* env, const std::string& path, std::string& newest);

} // namespace kevolve
