#include "tools/kevolve/scratch_directory.hpp"

#include "store/directory_lock.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <string_view>

namespace kevolve {

namespace {

namespace fs = std::filesystem;

constexpr std::string_view scratch_name = "kevolve-eval-";

// Ours alone, as mkdtemp makes them: in anybody else's, a lock file may be a link to what is not to be written.
bool is_private(const fs::path& folder) {
  struct stat about{};
  return ::lstat(folder.c_str(), &about) == 0 && S_ISDIR(about.st_mode) && about.st_uid == ::geteuid()
         && (about.st_mode & 077U) == 0;
}

// Temporary directories whose process was killed: nobody holds their locks.
void remove_abandoned(const fs::path& under) {
  std::error_code ec;
  for (const auto& entry : fs::directory_iterator{under, ec}) {
    const auto made_by_eval = entry.path().filename().string().starts_with(scratch_name);
    if (!made_by_eval || !is_private(entry.path()) || !fs::exists(entry.path() / "kevolve.lock", ec))
      continue;
    if (auto held = directory_lock::take(entry.path(), false))
      fs::remove_all(entry.path(), ec);
  }
}

} // namespace

void scratch_directory::remove() {
  std::error_code ec;
  if (ours_)
    fs::remove_all(path_, ec);
}

result<std::string> scratch_directory::make() {
  if (!path_.empty())
    return path_;
  std::error_code ec;
  const auto under = fs::temp_directory_path(ec);
  if (ec)
    return fail(errc::bad_input, "TMPDIR names no directory: make it, or name another");
  remove_abandoned(under);
  auto pattern = (under / scratch_name).string() + "XXXXXX";
  if (::mkdtemp(pattern.data()) == nullptr)
    return tl::unexpected(from_errno(errno, "making a temporary directory"));
  ours_ = true;
  return path_ = pattern;
}

} // namespace kevolve
