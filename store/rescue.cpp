// Repairs a copy, so that a failed repair loses nothing.
#include "store/directory_lock.hpp"
#include "store/fsck.hpp"

#include <filesystem>

namespace kevolve {

namespace {

namespace fs = std::filesystem;

// Makes the first of DIR.rescued, DIR.rescued.1, … that does not exist.
result<std::string> make_beside(const std::string& data_dir) {
  auto base = data_dir;
  while (base.size() > 1 && base.back() == '/')
    base.pop_back();
  base += ".rescued";
  auto path = base;
  std::error_code ec;
  for (int n = 1; !fs::create_directory(path, ec); ++n) {
    if (ec)
      return tl::unexpected(from_errno(ec.value(), "cannot make " + path));
    path = base + "." + std::to_string(n);
  }
  fs::permissions(path, fs::perms::owner_all, ec);
  return path;
}

// Copies the files. An unreadable file is left out and reported; a copy that cannot be written is an error.
result<void> copy_files(const fs::path& from, const fs::path& to, fsck_report& report) {
  std::error_code ec;
  fs::create_directory(to, ec);
  for (const auto& file : fs::directory_iterator{from, ec}) {
    auto name = file.path().filename();
    if (!file.is_regular_file(ec) || name == "LOCK")
      continue;
    if (fs::copy_file(file.path(), to / name, ec))
      continue;
    auto why = from_errno(ec.value(), "cannot copy " + file.path().string());
    if (why.code == errc::no_space || why.code == errc::read_only)
      return tl::unexpected(why);
    fs::remove(to / name, ec); // the partial copy
    report.findings.push_back({file.path(), why.detail, "left out of the copy"});
  }
  return {};
}

} // namespace

result<rescue_report> rescue(const std::string& data_dir) {
  rescue_report out;
  {
    auto looked = fsck(data_dir);
    if (!looked)
      return tl::unexpected(looked.error());
    if (looked->findings.empty()) {
      out.report = std::move(*looked);
      return out;
    }
  }
  auto lock = directory_lock::share(data_dir); // no process writes while the files are copied
  if (!lock)
    return tl::unexpected(lock.error());
  auto copy = make_beside(data_dir);
  if (!copy)
    return tl::unexpected(copy.error());
  if (auto copied = copy_files(fs::path{data_dir} / "store", fs::path{*copy} / "store", out.report); !copied)
    return tl::unexpected(copied.error());
  std::error_code ec;
  // older stores have no such file
  fs::copy_file(fs::path{data_dir} / "events.end", fs::path{*copy} / "events.end", ec);
  fsck_options options;
  options.repair = true;
  auto mended = fsck(*copy, options);
  if (!mended)
    return fail(mended.error().code, mended.error().detail + " (while mending the copy in " + *copy + ")");
  for (auto& f : mended->findings)
    out.report.findings.push_back(std::move(f));
  out.report.records = mended->records;
  out.report.quarantined_before = mended->quarantined_before;
  out.copy = std::move(*copy);
  return out;
}

} // namespace kevolve
