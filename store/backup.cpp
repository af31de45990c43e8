#include "store/backup.hpp"

#include "runtime/base/ids.hpp"
#include "store/end_mark.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <vector>

namespace kevolve {

namespace {

namespace fs = std::filesystem;

constexpr const char* list_name = "backup.sha256";

result<void> sync(const fs::path& path) {
  auto fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0)
    return tl::unexpected(from_errno(errno, "opening " + path.string()));
  auto failed = ::fsync(fd) != 0;
  auto why = errno;
  ::close(fd);
  return failed ? tl::unexpected(from_errno(why, "writing " + path.string())) : result<void>{};
}

result<std::string> read_all(const fs::path& path) { // path must be a file: reading a directory throws, and a pipe
                                                     // waits
  std::ifstream in{path, std::ios::binary};
  std::string out{std::istreambuf_iterator<char>{in}, {}};
  if (!in.is_open() || in.bad())
    return tl::unexpected(from_errno(errno, "reading " + path.string()));
  return out;
}

result<void> write_all(const fs::path& path, const std::string& bytes) {
  {
    std::ofstream out{path, std::ios::binary | std::ios::trunc};
    out << bytes;
    out.close();
    if (!out)
      return tl::unexpected(from_errno(errno, "writing " + path.string()));
  }
  return sync(path);
}

result<void> is_free(const fs::path& dir) {
  std::error_code ec;
  if (!fs::exists(dir, ec) || (fs::is_directory(dir, ec) && fs::is_empty(dir, ec) && !ec))
    return {};
  return fail(errc::conflict, dir.string() + " is there and not empty");
}

// A directory that becomes `out` when it is complete, and is removed otherwise. A file in it is locked meanwhile: if it
// is not locked, a killed process left the directory.
class draft {
public:
  explicit draft(fs::path out) : out_(std::move(out)), at_(out_.string() + infix + to_string(random_id())) {}
  draft(const draft&) = delete;
  draft& operator=(const draft&) = delete;
  ~draft() {
    std::error_code ec;
    fs::remove_all(at_, ec);
    if (lock_ >= 0)
      ::close(lock_);
  }
  result<void> begin() {
    remove_abandoned();
    std::error_code ec;
    fs::create_directories(at_.parent_path(), ec);
    if (::mkdir(at_.c_str(), S_IRWXU) == 0)
      lock_ = locked(at_, O_CREAT);
    return lock_ < 0 ? tl::unexpected(from_errno(errno, "creating " + at_.string())) : result<void>{};
  }
  const fs::path& at() const { return at_; }
  result<void> publish() {
    std::error_code ec;
    fs::remove(at_ / marker, ec);
    if (auto r = sync(at_); !r)
      return r;
    if (auto r = is_free(out_); !r)
      return r;
    fs::rename(at_, out_, ec); // over an empty directory, too
    if (ec)
      return tl::unexpected(from_errno(ec.value(), "cannot make " + out_.string()));
    return sync(out_.parent_path().empty() ? fs::path{"."} : out_.parent_path());
  }

  static constexpr const char* marker = "kevolve.draft";

private:
  static constexpr const char* infix = ".part-";

  static int locked(const fs::path& dir, int flags) {
    auto fd = ::open((dir / marker).c_str(), O_RDWR | O_NOFOLLOW | O_CLOEXEC | flags, S_IRUSR | S_IWUSR);
    if (fd >= 0 && ::flock(fd, LOCK_EX | LOCK_NB) != 0) {
      const auto why = errno;
      ::close(fd);
      errno = why;
      return -1;
    }
    return fd;
  }

  void remove_abandoned() const {
    std::error_code ec;
    const auto prefix = out_.filename().string() + infix;
    for (const auto& entry : fs::directory_iterator{out_.parent_path(), ec}) {
      if (entry.is_symlink(ec) || !entry.path().filename().string().starts_with(prefix))
        continue;
      if (auto fd = locked(entry.path(), 0); fd >= 0) {
        fs::remove_all(entry.path(), ec);
        ::close(fd);
      }
    }
  }

  fs::path out_;
  fs::path at_;
  int lock_ = -1;
};

// Returns a normal form, so that "D/" and "D" have the same parent.
fs::path clean(const std::string& text) {
  auto out = fs::absolute(text).lexically_normal();
  return out.has_filename() ? out : out.parent_path();
}

// Returns true if `inner` is `outer` or lies below it.
bool is_below(const fs::path& inner, const fs::path& outer) {
  auto [end, other] = std::mismatch(outer.begin(), outer.end(), inner.begin(), inner.end());
  return end == outer.end();
}

// Checks that a backup lies outside its data directory. Otherwise it would be lost together with the original, and
// RocksDB would treat its files as its own.
result<void> is_apart(const fs::path& out, const fs::path& data_dir, copy_place place) {
  std::error_code ec;
  const auto real = fs::weakly_canonical(out, ec); // resolved, so that links lead nowhere else
  const auto data = fs::weakly_canonical(clean(data_dir.string()), ec);
  if (place == copy_place::inside && (real.parent_path() != data || !real.filename().string().starts_with("fsck-")))
    return fail(errc::bad_input, out.string() + " is no place for a copy that is looked at and removed: "
                                     + (data / "fsck-NAME").string() + " is");
  if (place == copy_place::outside && is_below(real, data))
    return fail(errc::bad_input, out.string() + " lies inside the data directory " + data.string()
                                     + ": a backup belongs elsewhere, best on another disk");
  return {};
}

// Checks that the copy lies inside no other store or backup: deleting, copying or checking that would include the copy.
result<void> is_in_no_store(const fs::path& out, const char* what) {
  std::error_code ec;
  const auto real = fs::weakly_canonical(out, ec);
  for (auto at = real; at.has_relative_path(); at = at.parent_path()) {
    const bool is_backup = fs::exists(at / list_name, ec);
    if (!is_backup && !fs::exists(at / "store" / "CURRENT", ec))
      continue;
    const std::string is = is_backup ? "a backup" : "a data directory";
    if (at == real)
      return fail(errc::conflict, real.string() + " is " + is + " already: name a directory that is not there yet");
    return fail(errc::bad_input, out.string() + " lies inside " + at.string() + ", which is " + is + ": " + what
                                     + " belongs beside it, such as " + (at.parent_path() / real.filename()).string());
  }
  return {};
}

using digests = std::map<std::string, std::string>; // path below the directory → SHA-256

result<digests> read_list(const fs::path& from) {
  std::error_code ec;
  if (fs::exists(from / list_name, ec) && !fs::is_regular_file(from / list_name, ec))
    return fail(errc::corrupt, (from / list_name).string() + " is no file, and " + from.string()
                                   + " so no backup: name a directory that kevolve backup has made");
  std::ifstream in{from / list_name};
  if (!in)
    return fail(errc::not_found, from.string() + " is no backup: it has no " + list_name);
  digests out;
  for (std::string line; std::getline(in, line);) {
    auto name = line.size() > 66 ? line.substr(66) : std::string{};
    auto path = fs::path{name}.lexically_normal();
    if (name.empty() || line.substr(64, 2) != "  " || path.is_absolute() || path.string().starts_with(".."))
      return fail(errc::corrupt, (from / list_name).string() + ": not a list of digests: " + line);
    out[name] = line.substr(0, 64);
  }
  if (out.empty())
    return fail(errc::corrupt, (from / list_name).string() + " is empty");
  return out;
}

result<void> is_file(const fs::path& from, const std::string& name) {
  std::error_code ec;
  const auto kind = fs::status(from / name, ec).type();
  if (kind == fs::file_type::regular)
    return {};
  const auto what = kind == fs::file_type::directory   ? "is a directory"
                    : kind == fs::file_type::not_found ? "is not there"
                                                       : "is no file that can be read";
  return fail(errc::corrupt, (from / list_name).string() + " names '" + name + "', which " + what
                                 + ": a backup's list names its files alone; take another backup, or the list and the "
                                   "files again from where this one was copied from");
}

// Visits each file that the list names and verifies it; calls `each(name, bytes)`.
template <class F>
result<backup_report> visit(const fs::path& from, F each) {
  auto list = read_list(from);
  if (!list)
    return tl::unexpected(list.error());
  backup_report out;
  for (const auto& [name, digest] : *list) {
    if (auto ok = is_file(from, name); !ok)
      return tl::unexpected(ok.error());
    auto bytes = read_all(from / name);
    if (!bytes)
      return tl::unexpected(bytes.error());
    if (sha256_hex(*bytes) != digest)
      return fail(errc::corrupt, (from / name).string() + " is not what was backed up: its SHA-256 differs");
    ++out.files;
    out.bytes += bytes->size();
    if (auto done = each(name, *bytes); !done)
      return tl::unexpected(done.error());
  }
  out.last_event = end_mark::read(from.string()).value_or(0);
  return out;
}

// Writes the bytes again under the same name, so that a file linked by a checkpoint is no longer shared.
result<void> own_copy(const fs::path& path, const std::string& bytes) {
  auto fresh = path.string() + ".copy";
  if (auto r = write_all(fresh, bytes); !r)
    return r;
  std::error_code ec;
  fs::rename(fresh, path, ec);
  return ec ? tl::unexpected(from_errno(ec.value(), "writing " + path.string())) : result<void>{};
}

} // namespace

result<backup_report> backup(const store& data, const std::string& out, copy_place place) {
  auto where = clean(out);
  if (auto r = is_apart(where, data.directory(), place); !r)
    return tl::unexpected(r.error());
  if (auto r = place == copy_place::outside ? is_in_no_store(where, "a backup") : result<void>{}; !r)
    return tl::unexpected(r.error());
  if (auto r = is_free(where); !r)
    return tl::unexpected(r.error());
  draft d{where};
  if (auto r = d.begin(); !r)
    return tl::unexpected(r.error());
  backup_report report;
  // Read before the copy is made: later events may be in the copy, but none before this one is missing.
  report.last_event = data.last_sequence();
  if (auto r = data.checkpoint(d.at().string()); !r)
    return tl::unexpected(r.error());
  end_mark{d.at().string()}.set(report.last_event);
  std::vector<fs::path> files;
  for (const auto& entry : fs::recursive_directory_iterator{d.at()})
    if (entry.is_regular_file() && entry.path().filename() != "kevolve.lock"
        && entry.path().filename() != draft::marker)
      files.push_back(entry.path());
  std::string list;
  for (const auto& path : files) {
    auto bytes = read_all(path);
    if (!bytes)
      return tl::unexpected(bytes.error());
    if (auto r = own_copy(path, *bytes); !r)
      return tl::unexpected(r.error());
    list += sha256_hex(*bytes) + "  " + fs::relative(path, d.at()).string() + "\n";
    ++report.files;
    report.bytes += bytes->size();
  }
  if (auto r = sync(d.at() / "store"); !r)
    return tl::unexpected(r.error());
  if (auto r = write_all(d.at() / list_name, list); !r)
    return tl::unexpected(r.error());
  if (auto r = d.publish(); !r)
    return tl::unexpected(r.error());
  report.directory = where.string();
  return report;
}

result<backup_report> verify_backup(const std::string& from) {
  auto out = visit(clean(from), [](const std::string&, const std::string&) { return result<void>{}; });
  if (out)
    out->directory = clean(from).string();
  return out;
}

result<backup_report> restore(const std::string& from, const std::string& data_dir) {
  auto where = clean(data_dir);
  if (auto r = is_in_no_store(where, "a data directory"); !r)
    return tl::unexpected(r.error());
  if (auto r = is_free(where); !r)
    return tl::unexpected(r.error());
  draft d{where};
  if (auto r = d.begin(); !r)
    return tl::unexpected(r.error());
  std::error_code ec;
  fs::create_directories(d.at() / "store", ec);
  if (ec)
    return tl::unexpected(from_errno(ec.value(), "creating " + d.at().string()));
  auto out = visit(clean(from), [&](const std::string& name, const std::string& bytes) -> result<void> {
    std::error_code made;
    fs::create_directories((d.at() / name).parent_path(), made);
    return write_all(d.at() / name, bytes);
  });
  if (!out)
    return out;
  if (auto r = sync(d.at() / "store"); !r)
    return tl::unexpected(r.error());
  if (auto r = d.publish(); !r)
    return tl::unexpected(r.error());
  out->directory = where.string();
  return out;
}

} // namespace kevolve
