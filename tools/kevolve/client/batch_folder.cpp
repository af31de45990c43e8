// `kevolve batch work FOLDER`: several batches by one node, whose runners and what they hold serve all of them.
#include "runtime/node/rejudge.hpp"
#include "tools/kevolve/client/batch_job.hpp"
#include "tools/kevolve/client/connection.hpp"
#include "tools/kevolve/exit_codes.hpp"
#include "tools/kevolve/output/terminal.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <filesystem>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

namespace kevolve {

namespace {

result<std::vector<batch_job>> jobs_of(const batch_work_options& o) {
  std::vector<batch_job> out;
  std::error_code ec;
  std::vector<std::string> files;
  for (const auto& entry : std::filesystem::directory_iterator{o.file, ec})
    if (entry.path().extension() == ".batch")
      files.push_back(entry.path().string());
  if (files.empty())
    return fail(errc::bad_input,
                o.file + " holds no file NAME.batch: kevolve batch export --all --out FOLDER writes them");
  std::sort(files.begin(), files.end());
  for (const auto& file : files) {
    auto batch = read_export(file);
    if (!batch)
      return tl::unexpected(batch.error());
    if (!out.empty() && batch->target != out.front().batch.target)
      return fail(errc::bad_input, o.file + " holds batches of the targets " + out.front().batch.target + " and "
                                       + batch->target + ": work on one folder a target");
    out.emplace_back(o, file);
    out.back().among_others = true;
    out.back().outlook = outlook_for(*batch);
    out.back().batch = std::move(*batch);
  }
  std::vector<batch_outlook> outlooks;
  for (const auto& j : out)
    outlooks.push_back(j.outlook);
  std::vector<batch_job> ordered;
  for (const auto i : order_by_gain(outlooks))
    ordered.push_back(std::move(out[i]));
  return ordered;
}

// The batches of a folder, which are begun in their order by one node. Its runners and what they hold serve all.
class folder_work {
public:
  folder_work(std::vector<batch_job>& jobs, node& where, const stop_signal& stop)
      : jobs_(jobs), node_(where), stop_(stop) {}

  // Judges batches until none is left, in as many threads as there are to be at once.
  result<void> run(size_t at_once) {
    std::vector<std::thread> others;
    for (size_t i = 1; i < std::min(at_once, jobs_.size()); ++i)
      others.emplace_back([this] { judge_all(); });
    judge_all();
    for (auto& t : others)
      t.join();
    return std::move(ended_);
  }

private:
  void judge_all() {
    while (auto* j = next())
      if (auto done = judge(*j); !done) {
        std::lock_guard hold{lock_};
        over_ = true;
        ended_ = std::move(done);
      }
  }

  // Returns the next batch that fits into the time; null if there is none.
  batch_job* next() {
    std::lock_guard hold{lock_};
    while (!over_ && begun_ < jobs_.size()) {
      auto& j = jobs_[begun_++];
      auto why = too_late(j, scale_);
      if (why.empty())
        return &j;
      j.end = how_it_ended::wall_over;
      if (!j.options.common.quiet && !j.options.common.json)
        print_err(why + "\n");
      j.not_begun = std::move(why);
    }
    return nullptr;
  }

  result<void> judge(batch_job& j) {
    if (auto unpacked = unpack(writable_store_of(node_), j); !unpacked)
      return unpacked;
    if (auto judged = judge_batch(j, node_, stop_); !judged)
      return judged;
    auto back = save(j, store_of(node_));
    if (!back)
      return tl::unexpected(back.error());
    j.judged = back->candidates;
    j.left = back->left;
    std::lock_guard hold{lock_};
    over_ = over_ || j.end == how_it_ended::interrupted || j.end == how_it_ended::failed;
    if (j.first_seconds && j.outlook.first > 0.0)
      scale_ = std::clamp(*j.first_seconds / j.outlook.first, 0.2, 5.0);
    return {};
  }

  std::vector<batch_job>& jobs_;
  node& node_;
  const stop_signal& stop_;
  std::mutex lock_; // of all below
  size_t begun_ = 0;
  double scale_ = 1.0;
  bool over_ = false;
  result<void> ended_;
};

result<void> judge_folder(std::vector<batch_job>& jobs, const stop_signal& stop) {
  auto n = start_node(jobs.front());
  if (!n)
    return tl::unexpected(n.error());
  return folder_work{jobs, **n, stop}.run(static_cast<size_t>(jobs.front().options.at_once));
}

int conclude_folder(const std::vector<batch_job>& jobs, const batch_work_options& o) {
  json all = json::array();
  auto code = exit_code::ok;
  for (const auto& j : jobs) {
    constexpr const char* names[]{"judged", "wall", "interrupted", "failed"};
    all.push_back({{"batch", to_string(j.batch.batch)},
                   {"campaign", to_string(j.batch.campaign)},
                   {"name", j.batch.name},
                   {"outcome", names[static_cast<size_t>(j.end)]},
                   {"reason", or_null(j.not_begun.empty() ? j.trouble.detail : j.not_begun)},
                   {"candidates", j.judged},
                   {"left", j.left.value_or(j.batch.candidates)},
                   {"first_seconds", j.first_seconds ? json(*j.first_seconds) : json(nullptr)},
                   {"expected_first_seconds", j.outlook.first > 0.0 ? json(j.outlook.first) : json(nullptr)},
                   {"expected_seconds", j.outlook.seconds > 0.0 ? json(j.outlook.seconds) : json(nullptr)},
                   {"file", j.judged > 0 ? json(j.done) : json(nullptr)}});
    if (!o.common.json && !o.common.quiet)
      print_out(fmt::format("{}: {} judged, {} left{}\n", printable(j.batch.name), human_number(j.judged, "candidate"),
                            j.left.value_or(j.batch.candidates),
                            j.judged > 0 ? "; " + printable(j.done) + " goes home: kevolve batch import" : ""));
    if (j.end == how_it_ended::failed && code == exit_code::ok)
      code = exit_code::failed;
    else if (j.end == how_it_ended::interrupted)
      code = exit_code::interrupted;
    else if (j.end == how_it_ended::wall_over)
      code = exit_code::timed_out;
    if (!j.trouble.detail.empty())
      print_err("kevolve: " + printable_lines(j.trouble.detail, "  ") + "\n");
  }
  if (o.common.json)
    print_out(to_text(all) + "\n");
  return code;
}

} // namespace

int work_on_folder(const batch_work_options& o, batch_clock::time_point until) {
  if (!o.out.empty())
    return report({errc::bad_input, "--out: the results of a folder stand beside its files"}, o.common.json);
  auto jobs = jobs_of(o);
  if (!jobs)
    return report(jobs.error(), o.common.json);
  for (auto& j : *jobs)
    j.until = until;
  stop_signal stop; // before the first thread
  if (auto judged = judge_folder(*jobs, stop); !judged)
    return report(judged.error(), o.common.json);
  const auto code = conclude_folder(*jobs, o);
  if (std::error_code ec; code == exit_code::ok && o.data.empty())
    std::filesystem::remove_all(jobs->front().data, ec);
  return code;
}

} // namespace kevolve
