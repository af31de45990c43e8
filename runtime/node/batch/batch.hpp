// Exports a campaign's evaluations as a file to a machine that no node reaches, and imports the results. Each change of
// a store is one commit: all or nothing. If the campaign's actor runs, it has been asked before
// (actors/campaign/campaign_batch.cpp).
#pragma once

#include "actors/campaign/campaign_fold.hpp"
#include "runtime/node/batch/batch_file.hpp"

#include <functional>
#include <string>

namespace kevolve {

class store;

// Marks a campaign that no process runs as exported. errc::conflict: it is exported already, has ended, or no candidate
// awaits judgement.
result<batch_record> mark_away(store& data, const id128& campaign, const std::string& by);
// Cancels the export. errc::conflict: the campaign is not exported.
result<batch_record> cancel_away(store& data, const id128& campaign, const std::string& by);

// Returns an exported campaign with everything that judging it needs, without prompts and replies. errc::conflict: the
// campaign is not exported.
result<batch_bundle> take_batch(const store& data, const id128& campaign);

// On the other machine, unpacks the batch into a store of its own, once; or, `among_others`, into one that holds other
// batches, too. errc::conflict: the store holds something else.
result<void> unpack_batch(store& data, const batch_bundle& out, bool among_others = false);
// Adds the results of earlier, interrupted work on the same batch to a store that holds only the batch.
result<void> unpack_done(store& data, const batch_bundle& out, const batch_bundle& done);
// Returns the results added since the export. It has no events if there is nothing worth importing.
result<batch_bundle> collect_batch(const store& data, const batch_bundle& out);

// The outcome of an import.
struct batch_import {
  id128 batch;
  id128 campaign;
  std::string name;
  bool added = false; // false: the batch was imported before
  uint64_t events = 0;
  uint64_t candidates = 0; // judged candidates
  uint64_t left = 0;       // candidates that await another batch
  bool ended = false;      // true if the campaign ended on the other machine
  uint64_t best = 0;
  double speedup = 0.0;
};
// Imports a batch. errc::conflict says what of the campaign has changed since the export; errc::corrupt and
// errc::bad_input: the file does not fit. Without `still`, nothing is added, because the campaign's actor runs and is
// not on hold; the result of an earlier import is still returned.
result<batch_import> import_batch(store& data, const batch_bundle& back, const std::string& by, bool still = true);

} // namespace kevolve
