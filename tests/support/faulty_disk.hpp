// A file system that fails on purpose: no space, sync errors, or a power cut. A power cut drops unsynced data wholly or
// in part and undoes creations and renames whose directory was not synced. Then nothing is written until restart().
#pragma once

#include <rocksdb/env.h>

#include <cstdint>
#include <memory>
#include <string>

namespace kevolve::test {

enum class fault {
  none,
  power_cut,  // from the chosen operation on
  no_space,   // nothing more is written until mend()
  torn_write, // like no_space, but half of the first refused write reaches the file
  sync_error, // appends reach the file and syncs fail, until mend()
};

class faulty_disk {
public:
  faulty_disk();
  ~faulty_disk();

  rocksdb::Env* env();

  // Lets `operations` changes of the disk succeed; then `what` happens.
  void fail_after(uint64_t operations, fault what);
  bool has_failed() const;
  void mend();
  // Applies the power cut to the files. The store must be closed. Everything left counts as durable.
  void restart(uint64_t seed);

  struct shared;

private:
  std::shared_ptr<shared> shared_;
  std::unique_ptr<rocksdb::Env> env_;
};

} // namespace kevolve::test
