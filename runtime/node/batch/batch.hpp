// A campaign's evaluations as a file: out to a machine that no node reaches, and back. What of this changes a store is
// one commit: all or nothing. The campaign's actor, where one lives, has been asked before
// (actors/campaign/campaign_batch.cpp).
#pragma once

#include "actors/campaign/campaign_fold.hpp"
#include "runtime/node/batch/batch_file.hpp"

#include <functional>
#include <string>

namespace kevolve {

class store;

// Home, where no process runs the campaign: it is away from now on. errc::conflict: it is already, has ended, or
// nothing awaits judgement.
result<batch_record> mark_away(store& data, const id128& campaign, const std::string& by);
// And gives that up. errc::conflict: it is not away.
result<batch_record> cancel_away(store& data, const id128& campaign, const std::string& by);

// A campaign that is away, with all that judging it needs; prompts and replies stay. errc::conflict: it is not away.
result<batch_bundle> take_batch(const store& data, const id128& campaign);

// The other machine: into a store of its own, once. errc::conflict: there is something else in it.
result<void> unpack_batch(store& data, const batch_bundle& out);
// What an earlier, interrupted work on the same batch has brought, into a store that holds no more than the batch.
result<void> unpack_done(store& data, const batch_bundle& out, const batch_bundle& done);
// What has been added since; no events: nothing that is worth taking home.
result<batch_bundle> collect_batch(const store& data, const batch_bundle& out);

// Home again.
struct batch_import {
  id128 batch;
  id128 campaign;
  std::string name;
  bool added = false; // false: it was there already
  uint64_t events = 0;
  uint64_t candidates = 0; // judged
  uint64_t left = 0;       // that await another batch
  bool ended = false;      // the campaign, there
  uint64_t best = 0;
  double speedup = 0.0;
};
// errc::conflict says what of the campaign has changed since it was exported; errc::corrupt, errc::bad_input: the
// file does not fit. Where the campaign's actor lives and does not stand still for it (`still`), nothing is added: what
// was imported before is told all the same.
result<batch_import> import_batch(store& data, const batch_bundle& back, const std::string& by, bool still = true);

} // namespace kevolve
