// A file system that fails on purpose. It can run full, fail to sync, or lose power: then what was not synced is
// dropped, wholly or in part, files and renames whose directory was not synced are undone, and nothing more is
// written until restart().
#pragma once

#include <rocksdb/env.h>

#include <cstdint>
#include <memory>
#include <string>

namespace kevolve::test {

enum class fault {
  none,
  power_cut,  // from the chosen operation on
  no_space,   // nothing more is written, until mended
  torn_write, // like no_space, but half of the first refused write reaches the file
  sync_error, // appends reach the file, syncs fail, until mended
};

class faulty_disk {
public:
  faulty_disk();
  ~faulty_disk();

  rocksdb::Env* env();

  // Lets `operations` changes of the disk pass, then fails as told.
  void fail_after(uint64_t operations, fault what);
  bool has_failed() const;
  void mend();
  // Applies the power cut to the files; call with the store closed. Everything left counts as durable.
  void restart(uint64_t seed);

  struct shared;

private:
  std::shared_ptr<shared> shared_;
  std::unique_ptr<rocksdb::Env> env_;
};

} // namespace kevolve::test
