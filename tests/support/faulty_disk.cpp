#include "tests/support/faulty_disk.hpp"

#include <rocksdb/file_system.h>
#include <rocksdb/system_clock.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <mutex>
#include <optional>
#include <random>
#include <sstream>
#include <thread>
#include <vector>

namespace kevolve::test {

using rocksdb::FSDirectory;
using rocksdb::FSWritableFile;
using rocksdb::IODebugContext;
using rocksdb::IOOptions;
using rocksdb::IOStatus;

namespace {

std::string normal(const std::string& path) {
  return std::filesystem::path{path}.lexically_normal();
}

std::string folder_of(const std::string& path) {
  return std::filesystem::path{path}.parent_path();
}

std::optional<std::string> content_of(const std::string& path) {
  std::ifstream in{path, std::ios::binary};
  if (!in)
    return std::nullopt;
  std::ostringstream out;
  out << in.rdbuf();
  return out.str();
}

} // namespace

// The effect of a power cut on each file written since the start.
struct faulty_disk::shared {
  struct file {
    uint64_t written = 0;
    uint64_t synced = 0;
  };
  // A creation (`from` is empty) or renaming whose directory is not synced yet.
  struct entry {
    std::string from;
    std::string to;
    std::optional<std::string> replaced;
  };
  enum class step { append, sync, other };

  std::mutex guard;
  std::map<std::string, file> files;
  std::vector<entry> entries;
  uint64_t left = UINT64_MAX;
  fault chosen = fault::none;
  bool failed = false;

  // Returns the fault of this operation. `first` is set if it is the first to fail.
  fault meet(step s, bool* first = nullptr) {
    if (chosen == fault::none)
      return fault::none;
    if (!failed) {
      if (left > 0) {
        --left;
        return fault::none;
      }
      // A sync error begins with a sync.
      if (chosen == fault::sync_error && s != step::sync)
        return fault::none;
      failed = true;
      if (first != nullptr)
        *first = true;
    }
    if (chosen == fault::sync_error && s != step::sync)
      return fault::none;
    return chosen;
  }

  static IOStatus status(fault f) {
    if (f == fault::none)
      return IOStatus::OK();
    if (f == fault::no_space || f == fault::torn_write)
      return IOStatus::NoSpace("injected");
    return IOStatus::IOError("injected");
  }

  IOStatus pass(step s) {
    std::lock_guard hold{guard};
    return status(meet(s));
  }

  void directory_synced(const std::string& folder) {
    std::lock_guard hold{guard};
    std::erase_if(entries, [&](const entry& e) { return folder_of(e.to) == folder; });
  }
};

namespace {

using shared = faulty_disk::shared;

class faulty_file : public rocksdb::FSWritableFileOwnerWrapper {
public:
  faulty_file(std::unique_ptr<FSWritableFile>&& target, std::string path, std::shared_ptr<shared> disk)
      : FSWritableFileOwnerWrapper(std::move(target)), path_(std::move(path)), disk_(std::move(disk)) {}

  IOStatus Append(const rocksdb::Slice& data, const IOOptions& o, IODebugContext* d) override {
    std::lock_guard hold{disk_->guard};
    auto first = false;
    auto met = disk_->meet(shared::step::append, &first);
    auto portion = data;
    if (met == fault::torn_write && first)
      portion = {data.data(), data.size() / 2};
    else if (met != fault::none)
      return shared::status(met);
    auto s = FSWritableFileOwnerWrapper::Append(portion, o, d);
    if (s.ok())
      disk_->files[path_].written += portion.size();
    return met == fault::none ? s : shared::status(met);
  }
  IOStatus Append(const rocksdb::Slice& data, const IOOptions& o, const rocksdb::DataVerificationInfo&,
                  IODebugContext* d) override {
    return Append(data, o, d);
  }
  IOStatus Truncate(uint64_t size, const IOOptions& o, IODebugContext* d) override {
    auto met = disk_->pass(shared::step::other);
    if (!met.ok())
      return met;
    auto s = FSWritableFileOwnerWrapper::Truncate(size, o, d);
    std::lock_guard hold{disk_->guard};
    auto& f = disk_->files[path_];
    f.written = size;
    f.synced = std::min(f.synced, size);
    return s;
  }
  IOStatus Sync(const IOOptions&, IODebugContext*) override { return synced(); }
  IOStatus Fsync(const IOOptions&, IODebugContext*) override { return synced(); }

private:
  // Durability is only simulated, so the real disk need not sync.
  IOStatus synced() {
    std::lock_guard hold{disk_->guard};
    if (auto met = disk_->meet(shared::step::sync); met != fault::none)
      return shared::status(met);
    auto& state = disk_->files[path_];
    state.synced = state.written;
    return IOStatus::OK();
  }

  std::string path_;
  std::shared_ptr<shared> disk_;
};

class faulty_directory : public rocksdb::FSDirectoryWrapper {
public:
  faulty_directory(std::unique_ptr<FSDirectory>&& target, std::string path, std::shared_ptr<shared> disk)
      : FSDirectoryWrapper(std::move(target)), path_(std::move(path)), disk_(std::move(disk)) {}

  IOStatus Fsync(const IOOptions&, IODebugContext*) override { return synced(); }
  IOStatus FsyncWithDirOptions(const IOOptions&, IODebugContext*, const rocksdb::DirFsyncOptions&) override {
    return synced();
  }

private:
  IOStatus synced() {
    if (auto met = disk_->pass(shared::step::sync); !met.ok())
      return met;
    disk_->directory_synced(path_);
    return IOStatus::OK();
  }

  std::string path_;
  std::shared_ptr<shared> disk_;
};

class faulty_file_system : public rocksdb::FileSystemWrapper {
public:
  explicit faulty_file_system(std::shared_ptr<shared> disk)
      : FileSystemWrapper(rocksdb::FileSystem::Default()), disk_(std::move(disk)) {}

  const char* Name() const override { return "faulty"; }

  IOStatus NewWritableFile(const std::string& path, const rocksdb::FileOptions& o, std::unique_ptr<FSWritableFile>* r,
                           IODebugContext* d) override {
    if (auto met = disk_->pass(shared::step::other); !met.ok())
      return met;
    auto s = FileSystemWrapper::NewWritableFile(path, o, r, d);
    if (s.ok())
      *r = watch(path, 0, std::move(*r));
    return s;
  }
  IOStatus ReopenWritableFile(const std::string& path, const rocksdb::FileOptions& o,
                              std::unique_ptr<FSWritableFile>* r, IODebugContext* d) override {
    if (auto met = disk_->pass(shared::step::other); !met.ok())
      return met;
    auto s = FileSystemWrapper::ReopenWritableFile(path, o, r, d);
    if (s.ok())
      *r = watch(path, std::filesystem::file_size(path), std::move(*r));
    return s;
  }
  IOStatus NewDirectory(const std::string& path, const IOOptions& o, std::unique_ptr<FSDirectory>* r,
                        IODebugContext* d) override {
    auto s = FileSystemWrapper::NewDirectory(path, o, r, d);
    if (s.ok())
      *r = std::make_unique<faulty_directory>(std::move(*r), normal(path), disk_);
    return s;
  }
  IOStatus DeleteFile(const std::string& path, const IOOptions& o, IODebugContext* d) override {
    if (auto met = disk_->pass(shared::step::other); !met.ok())
      return met;
    std::lock_guard hold{disk_->guard};
    disk_->files.erase(normal(path));
    return FileSystemWrapper::DeleteFile(path, o, d);
  }
  IOStatus RenameFile(const std::string& from, const std::string& to, const IOOptions& o, IODebugContext* d) override {
    if (auto met = disk_->pass(shared::step::other); !met.ok())
      return met;
    std::lock_guard hold{disk_->guard};
    auto replaced = content_of(to);
    auto s = FileSystemWrapper::RenameFile(from, to, o, d);
    if (!s.ok())
      return s;
    disk_->entries.push_back({normal(from), normal(to), std::move(replaced)});
    if (auto f = disk_->files.extract(normal(from))) {
      disk_->files.erase(normal(to));
      f.key() = normal(to);
      disk_->files.insert(std::move(f));
    }
    return s;
  }

private:
  std::unique_ptr<FSWritableFile> watch(const std::string& path, uint64_t durable,
                                        std::unique_ptr<FSWritableFile>&& target) {
    std::lock_guard hold{disk_->guard};
    if (durable == 0)
      disk_->entries.push_back({{}, normal(path), {}});
    if (durable == 0 || disk_->files.find(normal(path)) == disk_->files.end())
      disk_->files[normal(path)] = {durable, durable};
    return std::make_unique<faulty_file>(std::move(target), normal(path), disk_);
  }

  std::shared_ptr<shared> disk_;
};

// RocksDB sleeps for a second after a failed flush; this clock does not.
class sleepless_clock : public rocksdb::SystemClockWrapper {
public:
  using SystemClockWrapper::SystemClockWrapper;
  const char* Name() const override { return "sleepless"; }
  void SleepForMicroseconds(int) override { std::this_thread::yield(); }
};

class faulty_env : public rocksdb::EnvWrapper {
public:
  explicit faulty_env(std::shared_ptr<shared> disk) : EnvWrapper(rocksdb::Env::Default()) {
    file_system_ = std::make_shared<faulty_file_system>(std::move(disk));
    system_clock_ = std::make_shared<sleepless_clock>(rocksdb::SystemClock::Default());
  }
  const char* Name() const override { return "faulty"; }
};

} // namespace

faulty_disk::faulty_disk() : shared_(std::make_shared<shared>()), env_(std::make_unique<faulty_env>(shared_)) {}

faulty_disk::~faulty_disk() = default;

rocksdb::Env* faulty_disk::env() {
  return env_.get();
}

void faulty_disk::fail_after(uint64_t operations, fault what) {
  std::lock_guard hold{shared_->guard};
  shared_->left = operations;
  shared_->chosen = what;
  shared_->failed = false;
}

bool faulty_disk::has_failed() const {
  std::lock_guard hold{shared_->guard};
  return shared_->failed;
}

void faulty_disk::mend() {
  fail_after(UINT64_MAX, fault::none);
}

void faulty_disk::restart(uint64_t seed) {
  mend();
  std::lock_guard hold{shared_->guard};
  std::mt19937_64 random{seed};
  // Journalling file systems keep the order of such changes: the first few reached the disk, the rest did not.
  auto& entries = shared_->entries;
  for (auto lasting = random() % (entries.size() + 1); entries.size() > lasting; entries.pop_back()) {
    auto& e = entries.back();
    if (!std::filesystem::exists(e.to))
      continue; // it was deleted since
    if (e.from.empty()) {
      std::filesystem::remove(e.to);
      shared_->files.erase(e.to);
      continue;
    }
    std::filesystem::rename(e.to, e.from);
    if (auto f = shared_->files.extract(e.to)) {
      f.key() = e.from;
      shared_->files.insert(std::move(f));
    }
    if (e.replaced)
      std::ofstream{e.to, std::ios::binary} << *e.replaced;
  }
  for (const auto& [path, f] : shared_->files) {
    if (!std::filesystem::exists(path))
      continue;
    // Part of the unsynced data may have reached the disk.
    auto unsynced = f.written - f.synced;
    auto kept = random() % 3 == 0 ? 0 : random() % (unsynced + 1);
    std::filesystem::resize_file(path, f.synced + kept);
  }
  shared_->files.clear();
  entries.clear();
}

} // namespace kevolve::test
