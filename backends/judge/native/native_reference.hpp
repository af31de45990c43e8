// References that are native objects: each runs in a sandboxed process of its own, and can be judged as a candidate.
#pragma once

#include "backends/judge/judge_context.hpp"
#include "backends/judge/native/zygote_client.hpp"

namespace kevolve {

// What native objects run in: the zygote that makes their processes, and the memory that a pair of them shares.
struct native_sandbox {
  zygote_client zygote;
  shared_arena comparison_arena;

  explicit native_sandbox(const judge_settings& settings);
};

// Runs references in this sandbox, which must live as long as the runner, as the settings must.
reference_runner native_references(native_sandbox& sandbox, const judge_settings& settings);

} // namespace kevolve
