// A session of one candidate without an arena: each argument and each scratch buffer is an allocation of exactly its
// size. For processes of their own: sanitised replays, profilers and timelines.
#pragma once

#include "backends/nvidia/runner/device_session.hpp"
#include "backends/nvidia/runner/replay_wire.hpp"

#include <functional>

namespace kevolve::cuda {

class separate_session : public device_session {
public:
  bool load_alone(const std::vector<std::string>& modules, const std::vector<std::string>& kernels,
                  cuda_wire::answer& how);
  // Allocates and fills the buffers of one call. `placed` hears each of them. Nothing is released: an address belongs
  // to one argument of one call.
  bool prepare(const cuda_wire::replay_call& wanted,
               const std::function<void(const std::string& name, device_pointer at, uint64_t bytes)>& placed,
               cuda_wire::answer& how);
  // Runs the plan's kernels and waits for their end.
  bool call(cuda_wire::answer& how);

private:
  bool place(const std::string& name, uint64_t bytes, device_pointer& at, cuda_wire::answer& how);
};

} // namespace kevolve::cuda
