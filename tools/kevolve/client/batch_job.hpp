// A batch while it is worked on, and the steps of that work. Private to `kevolve batch work`.
#pragma once

#include "runtime/node/batch/batch.hpp"
#include "runtime/node/batch/batch_outlook.hpp"
#include "runtime/node/node.hpp"
#include "tools/kevolve/client/batch_work.hpp"
#include "tools/kevolve/stop_signal.hpp"

#include <chrono>
#include <memory>
#include <optional>
#include <string>

namespace kevolve {

class store;

using batch_clock = std::chrono::steady_clock;

enum class how_it_ended : uint8_t { judged, wall_over, interrupted, failed };

struct batch_job {
  batch_job(const batch_work_options& o, const std::string& file)
      : options(o), data(o.data.empty() ? o.file + ".work" : o.data), done(o.out.empty() ? file + ".done" : o.out) {}

  const batch_work_options& options;
  std::string data;
  std::string done;
  batch_bundle batch;
  batch_outlook outlook;
  bool among_others = false; // of a folder
  batch_clock::time_point until = batch_clock::time_point::max();
  uint64_t saved_at = 0; // the campaign's last event then
  how_it_ended end = how_it_ended::failed;
  failure trouble;
  std::string not_begun;               // the reason, where it was not
  std::optional<double> first_seconds; // until the first verdict, once it was there
  uint64_t judged = 0;                 // candidates, of a folder's batch
  std::optional<uint64_t> left;        // once it was worked on
};

// Unpacks the batch into the store, and what earlier work on it has written.
result<void> unpack(store& data, const batch_job& j);
// Writes what is judged to the file; returns it.
result<batch_bundle> save(batch_job& j, const store& data);
// Returns why the batch is not begun: what would be drawn and computed for its first verdict would be lost. Empty if it
// is. `scale`: how much longer than predicted the first verdict of an earlier batch took.
std::string too_late(const batch_job& j, double scale);
result<std::unique_ptr<node>> start_node(const batch_job& j);
// Judges one batch that the node's store holds.
result<void> judge_batch(batch_job& j, node& where, const stop_signal& stop);
// Only a device's time is predicted.
batch_outlook outlook_for(const batch_bundle& batch);
// Reads an exported file. errc::bad_input: the file holds results.
result<batch_bundle> read_export(const std::string& file);

// Judges every batch of a folder by one node.
int work_on_folder(const batch_work_options& o, batch_clock::time_point until);

} // namespace kevolve
