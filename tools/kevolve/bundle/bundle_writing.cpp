#include "tools/kevolve/bundle/bundle_writing.hpp"

#include "runtime/base/ids.hpp"
#include "tools/kevolve/new_file.hpp"
#include "tools/kevolve/output/terminal.hpp"

#include <sys/stat.h>

#include <cerrno>
#include <filesystem>

namespace kevolve {

namespace {

namespace fs = std::filesystem;

} // namespace

result<std::string> free_place(const std::string& option, const std::string& out) {
  if (out.empty())
    return fail(errc::bad_input, option + ": name the directory to make, such as " + option + " my-kernel");
  std::error_code ec;
  auto path = fs::absolute(out, ec).lexically_normal();
  if (!path.has_filename())
    path = path.parent_path();
  const auto there = fs::symlink_status(path, ec);
  if (fs::exists(there) && (!fs::is_directory(there) || !fs::is_empty(path, ec) || ec))
    return fail(errc::conflict, option + ": " + printable(path.string())
                                    + (fs::is_directory(there) ? " is not empty" : " is no directory")
                                    + ": name one that is absent or empty");
  if (!fs::is_directory(path.parent_path(), ec))
    return fail(errc::bad_input, option + ": there is no directory " + printable(path.parent_path().string())
                                     + " to make it in: make that first");
  return path.string();
}

result<void> publish(const std::string& option, const std::string& place, const std::vector<bundle_file>& files) {
  const auto draft = place + ".part-" + short_string(random_id());
  if (::mkdir(draft.c_str(), 0777) != 0)
    return tl::unexpected(from_errno(errno, option + ": making " + draft));
  result<void> done;
  for (const auto& f : files) {
    std::error_code ec;
    fs::create_directories(fs::path{draft + "/" + f.name}.parent_path(), ec); // writing reports what it lacks
    if (done = write_new_file(draft + "/" + f.name, f.text); !done)
      break;
  }
  if (done && ::rename(draft.c_str(), place.c_str()) != 0)
    done = errno == ENOTEMPTY || errno == EEXIST || errno == ENOTDIR
               ? fail(errc::conflict,
                      option + ": " + printable(place) + " was made by somebody else meanwhile: name another")
               : tl::unexpected(from_errno(errno, option + ": making " + place));
  if (!done) {
    std::error_code ec;
    fs::remove_all(draft, ec);
  }
  return done;
}

} // namespace kevolve
