// References that are native objects: each runs in a sandboxed process of its own, and can be judged as a candidate.
#pragma once

#include "backends/judge/judge_context.hpp"
#include "backends/judge/native/zygote_client.hpp"
#include "backends/judge/shared_arena.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace kevolve {

struct native_settings {
  std::string zygote_path;
  std::string replay_path;       // of kevolve-sanitised-replay; candidates are not replayed if it is missing
  int core = 0;                  // where single-threaded candidates and the judge run
  std::vector<int> thread_cores; // where candidates of tasks with threads run
  uint64_t memory_bytes = uint64_t{1} << 30U; // a candidate's address space beside its arguments
};

// The place where native objects run: the zygote that makes their processes, and the memory that a pair shares.
struct native_sandbox {
  native_settings settings;
  zygote_client zygote;
  shared_arena comparison_arena;
  zygote_client replayer; // makes the processes of sanitised replays
  shared_arena replay_arena;

  explicit native_sandbox(native_settings s);
};

// Runs references in this sandbox, which must live as long as the runner.
reference_runner native_references(native_sandbox& sandbox);

} // namespace kevolve
