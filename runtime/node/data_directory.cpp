#include "runtime/node/data_directory.hpp"

#include <algorithm>
#include <filesystem>

namespace kevolve {

namespace {

namespace fs = std::filesystem;

// Room for a new store, the token, the announcement and the first events.
constexpr uint64_t least_bytes = 2U << 20U;

// Returns the existing directory in which the path will be made.
fs::path existing_part(const std::string& path) {
  std::error_code ec;
  auto at = fs::absolute(path, ec).lexically_normal();
  while (!fs::exists(at, ec) && at.has_relative_path())
    at = at.parent_path();
  return at;
}

} // namespace

result<void> may_be_data_directory(const std::string& path) {
  if (path.empty())
    return fail(errc::bad_input, "the data directory has no name");
  std::error_code ec;
  if (fs::exists(path, ec) && !fs::is_directory(path, ec))
    return fail(errc::bad_input, path + " is no directory; the data of a node lies in a directory of its own");
  return {};
}

result<void> has_room(const std::string& data_dir, uint64_t reserve_bytes) {
  const auto wanted = std::max(reserve_bytes, least_bytes);
  std::error_code ec;
  auto space = fs::space(existing_part(data_dir), ec);
  if (ec || space.available >= wanted)
    return {};
  return fail(errc::no_space, std::to_string(space.available) + " bytes are free in " + data_dir + ", and "
                                  + std::to_string(wanted)
                                  + " are wanted (limits.disk_reserve_mib of kevolved, --disk-reserve-mib of kevolve "
                                    "run): make room there, or take another directory");
}

void remove_leftovers(const std::string& data_dir) {
  std::error_code ec;
  for (const auto& entry : fs::directory_iterator{data_dir, ec}) {
    const auto name = entry.path().filename().string();
    if (entry.is_directory(ec) && name.starts_with("fsck-"))
      fs::remove_all(entry.path(), ec);
  }
}

} // namespace kevolve
