#include "tools/kevolve/client/batch_work.hpp"

#include "actors/messages/keys.hpp"
#include "runtime/base/log.hpp"
#include "runtime/node/batch/batch.hpp"
#include "runtime/node/rejudge.hpp"
#include "store/store.hpp"
#include "tools/kevolve/client/connection.hpp"
#include "tools/kevolve/duration.hpp"
#include "tools/kevolve/exit_codes.hpp"
#include "tools/kevolve/node_reader.hpp"
#include "tools/kevolve/output/progress.hpp"
#include "tools/kevolve/output/terminal.hpp"
#include "tools/kevolve/stop_signal.hpp"

#include <fmt/core.h>

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <optional>

namespace kevolve {

namespace {

using batch_clock = std::chrono::steady_clock;

// A machine that is taken away without a word takes no more than this along.
constexpr auto save_every = std::chrono::seconds{15};
// The part of --wall that is kept for stopping the node and writing the file.
constexpr auto stopping_takes = std::chrono::seconds{5};
constexpr int looks = 20; // at a store that changes while it is read

enum class how_it_ended : uint8_t { judged, wall_over, interrupted, failed };

struct batch_job {
  explicit batch_job(const batch_work_options& o)
      : options(o), data(o.data.empty() ? o.file + ".work" : o.data), done(o.out.empty() ? o.file + ".done" : o.out) {}

  const batch_work_options& options;
  std::string data;
  std::string done;
  batch_bundle batch;
  batch_clock::time_point until = batch_clock::time_point::max();
  uint64_t saved_at = 0; // the store's last event then
  how_it_ended end = how_it_ended::failed;
  failure trouble;
};

// Unpacks the batch and what earlier work has left: its store, else the file that it had written.
result<void> lay_out(const batch_job& j) {
  // The folder is removed in the end, so it must hold nothing but this batch.
  if (std::error_code ec; std::filesystem::exists(j.data, ec) && !std::filesystem::is_empty(j.data, ec)
                          && !std::filesystem::exists(j.data + "/store", ec))
    return fail(errc::conflict, j.data + " holds something else than this batch: name another with --data");
  auto data = store::open(j.data);
  if (!data)
    return tl::unexpected(data.error());
  if (auto r = unpack_batch(**data, j.batch); !r)
    return r;
  if (std::error_code ec; !std::filesystem::exists(j.done, ec))
    return {};
  auto before = read_batch(j.done);
  if (!before)
    return tl::unexpected(before.error());
  auto r = unpack_done(**data, j.batch, *before);
  return r ? r : fail(r.error().code, j.done + " is there, and " + r.error().detail + ": name another with --out");
}

result<batch_bundle> save(batch_job& j, const store& data) {
  auto back = collect_batch(data, j.batch);
  if (!back || back->events.empty())
    return back;
  auto bytes = write_batch(j.done, *back);
  return bytes ? back : tl::unexpected(bytes.error());
}

// While the node writes: only a look during which nothing was added is whole.
void save_meanwhile(batch_job& j, const store& data) {
  for (int i = 0; i < looks; ++i) {
    const auto before = data.last_sequence();
    if (before == j.saved_at)
      return;
    auto back = collect_batch(data, j.batch);
    if (!back || data.last_sequence() != before)
      continue;
    if (auto written = back->events.empty() ? uint64_t{0} : write_batch(j.done, *back); !written)
      log::warn("batch", "{}", to_string(written.error()));
    j.saved_at = before;
    return;
  }
}

node_options node_for(const batch_job& j) {
  node_options out;
  out.data_dir = j.data;
  out.targets = {j.batch.target};
  out.require_helpers = true;
  out.evaluate_only = true;
  out.compilers = j.options.compilers;
  out.disk_reserve_mib = j.options.disk_reserve_mib;
  out.decisions[j.batch.target] = j.options.target;
  return out;
}

void follow_batch(batch_job& j, node& where, progress& view, const stop_signal& stop) {
  node_reader reader{where};
  campaign_actor whom;
  auto saved = batch_clock::now();
  for (;;) {
    if (auto s = reader.status(j.batch.campaign, whom)) {
      view.show(*s);
      const bool ended = s->state == "finished" || s->state == "failed";
      if (ended || s->waits_for == "home") {
        j.end = how_it_ended::judged;
        return;
      }
      if (s->state == "paused") {
        j.trouble = {errc::unavailable, s->reason};
        return;
      }
    } else if (s.error().code == errc::unavailable || s.error().code == errc::timed_out)
      whom = nullptr;
    else {
      j.trouble = s.error();
      return;
    }
    if (auto why = where.broken(); !why.empty()) {
      j.trouble = {errc::internal, why};
      return;
    }
    if (batch_clock::now() - saved >= save_every) {
      save_meanwhile(j, store_of(where));
      saved = batch_clock::now();
    }
    if (stop.wait_for(view.pace())) {
      j.end = how_it_ended::interrupted;
      return;
    }
    if (batch_clock::now() >= j.until) {
      j.end = how_it_ended::wall_over;
      return;
    }
  }
}

// From the node's start to its end: what is in flight then is judged anew the next time.
result<void> judge_batch(batch_job& j, const stop_signal& stop) {
  auto n = node::start(node_for(j));
  if (!n)
    return tl::unexpected(n.error());
  if (!j.options.common.quiet && is_terminal(STDERR_FILENO))
    log::configure({log::level::info, false, j.data + "/kevolve.log"});
  node_reader reader{**n};
  auto submission = reader.record<campaign_submission>(keys::index, keys::campaign(j.batch.campaign));
  if (!submission)
    return tl::unexpected(submission.error());
  auto begun = reader.ask<campaign_status>((*n)->campaigns(), atom::submit_v, j.batch.campaign, *submission);
  if (!begun)
    return tl::unexpected(begun.error());
  progress view{STDERR_FILENO, j.options.common.quiet};
  follow_batch(j, **n, view, stop);
  view.end();
  return {};
}

json work_json(const batch_job& j, const batch_bundle& back) {
  constexpr const char* names[]{"judged", "wall", "interrupted", "failed"};
  return {{"batch", to_string(j.batch.batch)},
          {"campaign", to_string(j.batch.campaign)},
          {"name", j.batch.name},
          {"outcome", names[static_cast<size_t>(j.end)]},
          {"reason", or_null(j.trouble.detail)},
          {"candidates", back.candidates},
          {"left", back.left},
          {"events", back.events.size()},
          {"file", back.events.empty() ? json(nullptr) : json(j.done)}};
}

int conclude_batch(const batch_job& j, const batch_bundle& back) {
  const auto& common = j.options.common;
  if (common.json)
    print_out(to_text(work_json(j, back)) + "\n");
  else if (!common.quiet) {
    print_out(fmt::format("{}: {} judged, {} left\n", printable(j.batch.name),
                          human_number(back.candidates, "candidate"), back.left));
    if (!back.events.empty())
      print_out("  " + printable(j.done) + " goes home: kevolve batch import\n");
  }
  switch (j.end) {
    case how_it_ended::judged:
      return exit_code::ok;
    case how_it_ended::wall_over:
      print_err("kevolve: the time is over; the same command goes on\n");
      return exit_code::timed_out;
    case how_it_ended::interrupted:
      print_err("kevolve: stopped; the same command goes on\n");
      return exit_code::interrupted;
    case how_it_ended::failed:
      break;
  }
  print_err("kevolve: " + printable_lines(j.trouble.detail, "  ") + "\n");
  return exit_code::failed;
}

} // namespace

int work_on_batch(const batch_work_options& o) {
  batch_job j{o};
  if (!o.wall.empty()) {
    auto seconds = duration_in_seconds(o.wall);
    if (!seconds)
      return report({errc::bad_input, "--wall: not '" + printable(o.wall) + "': write 90s, 15m, 2h or 1d"},
                    o.common.json);
    const auto all = std::chrono::duration_cast<batch_clock::duration>(std::chrono::duration<double>{*seconds});
    j.until = batch_clock::now() + std::max<batch_clock::duration>(all - stopping_takes, all / 2);
  }
  auto batch = read_batch(o.file);
  if (!batch)
    return report(batch.error(), o.common.json);
  if (batch->way != batch_way::out)
    return report({errc::bad_input, o.file + " is what came of a batch; work wants what kevolve batch export wrote"},
                  o.common.json);
  j.batch = std::move(*batch);
  stop_signal stop; // before the first thread
  if (auto laid = lay_out(j); !laid)
    return report(laid.error(), o.common.json);
  if (auto judged = judge_batch(j, stop); !judged)
    return report(judged.error(), o.common.json);
  store_options look;
  look.create = false;
  look.read_only = true;
  auto data = store::open(j.data, look);
  if (!data)
    return report(data.error(), o.common.json);
  auto back = save(j, **data);
  if (!back)
    return report(back.error(), o.common.json);
  const auto code = conclude_batch(j, *back);
  data->reset();
  if (std::error_code ec; code == exit_code::ok && o.data.empty())
    std::filesystem::remove_all(j.data, ec);
  return code;
}

} // namespace kevolve
