// The messages between the runner and its examiner. The examiner holds inputs and expected values on the device and
// does pieces of work on the arena, which candidates map too. It knows no task and gives no verdict.
#pragma once

#include "backends/nvidia/runner/wire.hpp"

namespace kevolve::cuda_wire {

struct examiner_ready {
  answer how;
  std::string unfit;   // why this device or driver cannot share memory; empty: it can
  uint64_t budget = 0; // bytes that sets may take
};

// The arena's descriptor comes right after the answer, if that went well.
struct make_arena {
  uint64_t bytes = 0; // at least
};
struct arena_made {
  answer how;
  uint64_t bytes = 0;
};

// Memory of the host that both map: what is brought and what comes back. Its descriptor comes right after.
struct attach {
  uint64_t bytes = 0;
};

// Room for a set; for the block that is kept from call to call if `set` is 0.
struct hold {
  uint64_t set = 0;
  uint64_t bytes = 0;
};
struct put {
  uint64_t set = 0;
  uint64_t to = 0;
  uint64_t from = 0; // of the host's memory
  uint64_t bytes = 0;
};
struct drop {
  uint64_t set = 0;
};
struct bring_back {
  uint64_t from = 0; // of the arena, to the start of the host's memory
  uint64_t bytes = 0;
};
struct acknowledged {
  answer how;
};

// Copies a part of a set to the start of the host's memory.
struct bring_set {
  uint64_t set = 0;
  uint64_t from = 0;
  uint64_t bytes = 0;
};
// Draws arrays of a set. Answered as work is.
struct draw {
  uint64_t set = 0;
  std::string orders; // as they lie in memory
};
// Makes the pool: memory that the reference's process maps, and no candidate. Answered as an arena is; 0 bytes give the
// memory back.
struct make_pool {
  uint64_t bytes = 0;
};

struct work {
  uint64_t set = 0;
  std::string pieces; // as they lie in memory: one program's, at both ends
  bool answered = false;
  bool in_pool = false; // places are those of the pool, not of the arena
};
struct worked {
  answer how;
  std::string findings;
  double work_ns = 0.0; // of the device
};

template <class I>
typename I::result_type inspect(I& f, examiner_ready& x) {
  return f(x.how, x.unfit, x.budget);
}
template <class I>
typename I::result_type inspect(I& f, make_arena& x) {
  return f(x.bytes);
}
template <class I>
typename I::result_type inspect(I& f, arena_made& x) {
  return f(x.how, x.bytes);
}
template <class I>
typename I::result_type inspect(I& f, attach& x) {
  return f(x.bytes);
}
template <class I>
typename I::result_type inspect(I& f, hold& x) {
  return f(x.set, x.bytes);
}
template <class I>
typename I::result_type inspect(I& f, put& x) {
  return f(x.set, x.to, x.from, x.bytes);
}
template <class I>
typename I::result_type inspect(I& f, drop& x) {
  return f(x.set);
}
template <class I>
typename I::result_type inspect(I& f, bring_back& x) {
  return f(x.from, x.bytes);
}
template <class I>
typename I::result_type inspect(I& f, bring_set& x) {
  return f(x.set, x.from, x.bytes);
}
template <class I>
typename I::result_type inspect(I& f, draw& x) {
  return f(x.set, x.orders);
}
template <class I>
typename I::result_type inspect(I& f, make_pool& x) {
  return f(x.bytes);
}
template <class I>
typename I::result_type inspect(I& f, acknowledged& x) {
  return f(x.how);
}
template <class I>
typename I::result_type inspect(I& f, work& x) {
  return f(x.set, x.pieces, x.answered, x.in_pool);
}
template <class I>
typename I::result_type inspect(I& f, worked& x) {
  return f(x.how, x.findings, x.work_ns);
}

} // namespace kevolve::cuda_wire
