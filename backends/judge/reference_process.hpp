// Computes a task's outputs on arrays in an arena: the process of the reference, or of the oracle in double.
#pragma once

#include "backends/judge/evaluation_error.hpp"
#include "backends/judge/shared_arena.hpp"

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>

namespace kevolve {

class reference_process {
public:
  virtual ~reference_process() = default;
  virtual bool alive() const = 0;
  // One call on what `memory` has set up. On a rejection it has ended.
  virtual std::optional<rejection> call(const contract& task, const call_data& data, const arena_layout& layout,
                                        const call_memory& memory, std::chrono::nanoseconds limit,
                                        std::chrono::nanoseconds& took) = 0;
  // Returns the part of the last call's time in which it ran: without waits for a processor, where they are known.
  virtual std::chrono::nanoseconds worked() const = 0;
};

// Starts one that maps the arena as it is now. `object` is what the compile server made of the reference, or of the
// oracle; `task` has the types as it sees them.
using reference_launcher = std::function<attempt<std::unique_ptr<reference_process>>(
    const std::string& object, bool oracle, const contract& task, shared_arena& arena)>;

} // namespace kevolve
