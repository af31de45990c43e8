// The outbox holds what a campaign is about to store. Appends go out one batch at a time, in the order in which the
// fold took them.
#pragma once

#include "actors/messages/messages.hpp"

#include <functional>
#include <utility>
#include <vector>

namespace kevolve {

class event_outbox {
public:
  using callback = std::function<void()>;

  // `stored` runs once the append is fsync'd.
  void add(append_request what, callback stored) { waiting_.push_back({std::move(what), std::move(stored)}); }

  // While gathering nothing goes out: more comes for the same batch.
  void gather(bool more_comes) { gathering_ = more_comes; }

  // Returns true while a batch is being written.
  bool writing() const { return writing_; }

  // Returns true if a batch waits and may go out.
  bool ready() const { return !writing_ && !gathering_ && !waiting_.empty(); }

  struct batch {
    append_request what;
    std::vector<callback> stored;
  };
  // Merges all that waits into one append. The next batch waits until written().
  batch take(const id128& campaign);
  void written() { writing_ = false; }

private:
  struct entry {
    append_request what;
    callback stored;
  };
  std::vector<entry> waiting_;
  bool writing_ = false;
  bool gathering_ = false;
};

} // namespace kevolve
