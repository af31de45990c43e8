#include "tools/kevolve/client/batch_work.hpp"

#include "actors/messages/enums.hpp"
#include "actors/messages/keys.hpp"
#include "backends/target.hpp"
#include "runtime/base/log.hpp"
#include "runtime/node/batch/batch.hpp"
#include "runtime/node/rejudge.hpp"
#include "store/store.hpp"
#include "tools/kevolve/client/batch_job.hpp"
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
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace kevolve {

namespace {

// A machine that is taken away without a word takes no more than this along.
constexpr auto save_every = std::chrono::seconds{15};
// The part of --wall that is kept for stopping the node and writing the file.
constexpr auto stopping_takes = std::chrono::seconds{5};
constexpr int looks = 20; // at a store that changes while it is read

// Unpacks the batch and what earlier work has left: its store, else the file that it had written.
result<void> lay_out(const batch_job& j) {
  // The folder is removed in the end, so it must hold nothing but this batch.
  if (std::error_code ec; std::filesystem::exists(j.data, ec) && !std::filesystem::is_empty(j.data, ec)
                          && !std::filesystem::exists(j.data + "/store", ec))
    return fail(errc::conflict, j.data + " holds something else than this batch: name another with --data");
  auto data = store::open(j.data);
  if (!data)
    return tl::unexpected(data.error());
  return unpack(**data, j);
}

// While the node writes: only a look during which nothing was added to the campaign is whole. Others may be judged
// beside it.
void save_meanwhile(batch_job& j, const store& data) {
  for (int i = 0; i < looks; ++i) {
    const auto before = data.last_campaign_sequence(j.batch.campaign).value_or(0);
    if (before == j.saved_at)
      return;
    auto back = collect_batch(data, j.batch);
    if (!back || data.last_campaign_sequence(j.batch.campaign).value_or(0) != before)
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
  const auto begun = batch_clock::now();
  auto saved = begun;
  std::optional<uint64_t> before; // candidates that were judged already
  for (;;) {
    if (auto s = reader.status(j.batch.campaign, whom)) {
      view.show(*s);
      if (!before)
        before = s->candidates;
      if (!j.first_seconds && s->candidates > *before)
        j.first_seconds = std::chrono::duration<double>{batch_clock::now() - begun}.count();
      const bool ended = has_ended(s->state);
      if (ended || s->waits_for == "home") {
        j.end = how_it_ended::judged;
        return;
      }
      if (s->state == to_string(campaign_phase::paused)) {
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
result<void> judge_alone(batch_job& j, const stop_signal& stop) {
  auto n = start_node(j);
  return n ? judge_batch(j, **n, stop) : tl::unexpected(n.error());
}

json work_json(const batch_job& j, const batch_bundle& back) {
  constexpr const char* names[]{"judged", "wall", "interrupted", "failed"};
  return {{"batch", to_string(j.batch.batch)},
          {"campaign", to_string(j.batch.campaign)},
          {"name", j.batch.name},
          {"outcome", names[static_cast<size_t>(j.end)]},
          {"reason", or_null(j.not_begun.empty() ? j.trouble.detail : j.not_begun)},
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

result<void> unpack(store& data, const batch_job& j) {
  if (auto r = unpack_batch(data, j.batch, j.among_others); !r)
    return r;
  if (std::error_code ec; !std::filesystem::exists(j.done, ec))
    return {};
  auto before = read_batch(j.done);
  if (!before)
    return tl::unexpected(before.error());
  auto r = unpack_done(data, j.batch, *before);
  return r ? r : fail(r.error().code, j.done + " is there, and " + r.error().detail + ": name another with --out");
}

result<batch_bundle> save(batch_job& j, const store& data) {
  auto back = collect_batch(data, j.batch);
  if (!back || back->events.empty())
    return back;
  auto bytes = write_batch(j.done, *back);
  return bytes ? back : tl::unexpected(bytes.error());
}

namespace {

double seconds_left(const batch_job& j) {
  return std::chrono::duration<double>{j.until - batch_clock::now()}.count();
}

} // namespace

std::string too_late(const batch_job& j, double scale) {
  if (j.until == batch_clock::time_point::max() || fits_in(j.outlook, seconds_left(j), scale))
    return {};
  return fmt::format("{}: not begun: its first verdict takes about {:.0f} s, and {:.0f} s are left",
                     printable(j.batch.name), j.outlook.first * scale, std::max(seconds_left(j), 0.0));
}

result<std::unique_ptr<node>> start_node(const batch_job& j) {
  auto n = node::start(node_for(j));
  if (n && !j.options.common.quiet && is_terminal(STDERR_FILENO))
    log::configure({log::level::info, false, j.data + "/kevolve.log"});
  return n;
}

result<void> judge_batch(batch_job& j, node& where, const stop_signal& stop) {
  node_reader reader{where};
  auto submission = reader.record<campaign_submission>(keys::index, keys::campaign(j.batch.campaign));
  if (!submission)
    return tl::unexpected(submission.error());
  auto begun = reader.ask<campaign_status>(where.campaigns(), atom::submit_v, j.batch.campaign, *submission);
  if (!begun)
    return tl::unexpected(begun.error());
  // Several that are redrawn on one terminal would draw over each other.
  const bool crowded = j.among_others && j.options.at_once > 1 && is_terminal(STDERR_FILENO);
  progress view{STDERR_FILENO, j.options.common.quiet || crowded};
  follow_batch(j, where, view, stop);
  view.end();
  return {};
}

batch_outlook outlook_for(const batch_bundle& batch) {
  auto out = outlook_of(batch);
  if (!runs_on_device(batch.target))
    out.first = out.seconds = 0.0;
  return out;
}

result<batch_bundle> read_export(const std::string& file) {
  auto batch = read_batch(file);
  if (batch && batch->way != batch_way::out)
    return fail(errc::bad_input, file + " is what came of a batch; work wants what kevolve batch export wrote");
  return batch;
}

int work_on_batch(const batch_work_options& o) {
  batch_job j{o, o.file};
  if (!o.wall.empty()) {
    auto seconds = duration_in_seconds(o.wall);
    if (!seconds)
      return report({errc::bad_input, "--wall: not '" + printable(o.wall) + "': write 90s, 15m, 2h or 1d"},
                    o.common.json);
    const auto all = std::chrono::duration_cast<batch_clock::duration>(std::chrono::duration<double>{*seconds});
    j.until = batch_clock::now() + std::max<batch_clock::duration>(all - stopping_takes, all / 2);
  }
  if (std::error_code ec; std::filesystem::is_directory(o.file, ec))
    return work_on_folder(o, j.until);
  auto batch = read_export(o.file);
  if (!batch)
    return report(batch.error(), o.common.json);
  j.outlook = outlook_for(*batch);
  j.batch = std::move(*batch);
  if (const auto why = too_late(j, 1.0); !why.empty()) {
    if (!o.common.json) {
      print_err("kevolve: " + why + "\n");
      return exit_code::timed_out;
    }
    j.end = how_it_ended::wall_over;
    j.not_begun = why;
    batch_bundle nothing;
    nothing.left = j.batch.candidates;
    print_out(to_text(work_json(j, nothing)) + "\n");
    return exit_code::timed_out;
  }
  stop_signal stop; // before the first thread
  if (auto laid = lay_out(j); !laid)
    return report(laid.error(), o.common.json);
  if (auto judged = judge_alone(j, stop); !judged)
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
