#include "store/fsck.hpp"

#include "runtime/base/codec.hpp"
#include "store/check.hpp"
#include "store/database.hpp"
#include "store/directory_lock.hpp"
#include "store/end_mark.hpp"
#include "store/record.hpp"
#include "store/salvage.hpp"
#include "store/schema.hpp"

#include <filesystem>

namespace kevolve {

namespace {

// Replaces the store by a copy of all that can be read, and keeps the damaged one beside it.
result<std::unique_ptr<database>> rebuild(std::unique_ptr<database> damaged, database_options o, fsck_report& report) {
  const auto path = damaged->path();
  const auto fresh_path = path + ".salvaged";
  std::error_code ec;
  std::filesystem::remove_all(fresh_path, ec); // an earlier attempt that was interrupted
  o.create = true;
  auto fresh = database::open(fresh_path, o);
  if (!fresh)
    return fresh;
  auto count = salvage(*damaged, **fresh);
  if (!count)
    return tl::unexpected(count.error());
  damaged.reset();
  fresh->reset();
  auto kept = path + ".damaged";
  for (int n = 1; std::filesystem::exists(kept, ec); ++n)
    kept = path + ".damaged." + std::to_string(n);
  std::filesystem::rename(path, kept, ec);
  if (!ec)
    std::filesystem::rename(fresh_path, path, ec);
  if (ec)
    return tl::unexpected(from_errno(ec.value(), "cannot replace " + path));
  report.findings.push_back({path, std::to_string(count->unreadable_stretches) + " stretches cannot be read",
                             "copied " + std::to_string(count->copied) + " records; the damaged files are in " + kept});
  o.create = false;
  return database::open(path, o);
}

result<std::unique_ptr<database>> open_or_repair(const std::string& path, const database_options& o,
                                                 fsck_report& report) {
  auto db = database::open(path, o);
  if (db || db.error().code != errc::corrupt)
    return db;
  report.findings.push_back({path, db.error().detail, {}});
  if (o.read_only)
    return db;
  if (auto repaired = database::rebuild_manifest(path, o); !repaired)
    return tl::unexpected(repaired.error());
  report.findings.back().done = "the list of files was made anew from the files";
  return database::open(path, o);
}

// Checks the end of the log: a shortened log leaves a store that is consistent but too short.
result<void> check_end(database& db, const std::string& data_dir, bool repair, fsck_report& report) {
  auto last = db.last_sequence();
  if (!last)
    return tl::unexpected(last.error());
  const auto end = *last;
  if (auto damage = end_mark::damaged(data_dir); !damage.empty()) {
    report.findings.push_back({end_mark::file, damage, repair ? "written anew" : ""});
    if (repair) {
      std::error_code ec;
      std::filesystem::remove(data_dir + "/" + end_mark::file, ec);
      end_mark{data_dir}.set(end);
    }
    return {};
  }
  auto lost = end_mark::lost(data_dir, end);
  if (lost.empty())
    return {};
  report.findings.push_back({"events", lost, repair ? "goes on from event " + std::to_string(end) : ""});
  if (repair)
    end_mark{data_dir}.set(end);
  return {};
}

} // namespace

result<fsck_report> fsck(const std::string& data_dir, const fsck_options& options) {
  auto lock = options.repair ? directory_lock::take(data_dir, false) : directory_lock::share(data_dir);
  if (!lock)
    return tl::unexpected(lock.error());
  fsck_report report;
  database_options o;
  o.env = options.env;
  o.read_only = !options.repair;
  const auto path = data_dir + "/store";
  if (options.repair) {
    auto look = o;
    look.read_only = true;
    look.only_meta = true;
    auto lost = database::open(path, look);
    auto manifest = database::restore_current(path, o);
    if (!manifest)
      return tl::unexpected(manifest.error());
    if (!manifest->empty() && !lost)
      report.findings.push_back({path, lost.error().detail, "CURRENT names " + *manifest + " again"});
    // Newer data must not be rewritten, so the schema is checked first.
    if (auto peek = database::open(path, look)) {
      if (auto checked = check_schema(**peek, current_schema()); !checked && checked.error().code == errc::newer_format)
        return tl::unexpected(checked.error());
    }
  }
  auto db = open_or_repair(path, o, report);
  if (!db) {
    if (db.error().code == errc::corrupt && !options.repair)
      return report;
    return tl::unexpected(db.error());
  }
  if (auto files = (*db)->db().VerifyChecksum(); !files.ok()) {
    if (options.repair) {
      db = rebuild(std::move(*db), o, report);
      if (!db)
        return tl::unexpected(db.error());
    } else
      report.findings.push_back({path, files.ToString(), {}});
  }
  if (auto checked = check_records(**db, options.repair, report); !checked)
    return tl::unexpected(checked.error());
  if (auto known = check_end(**db, data_dir, options.repair, report); !known)
    return tl::unexpected(known.error());
  return report;
}

} // namespace kevolve
