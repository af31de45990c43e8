// The order of a sanitised replay, as the runner writes it into a file for a process of its own: one candidate's code,
// and calls with their data. Each argument gets an allocation of exactly its size.
#pragma once

#include "backends/nvidia/runner/wire.hpp"

namespace kevolve::cuda_wire {

struct replay_argument {
  std::string name;
  uint64_t bytes = 0;
  std::string content; // empty: the call does not read it, and nothing is written to it beforehand
};

struct replay_call {
  resolved_plan plan;
  std::vector<replay_argument> arguments;
};

struct replay {
  int32_t device = 0;
  uint32_t limit_ms = 0; // no call begins later; the process ends soon after
  std::vector<std::string> modules;
  std::vector<std::string> kernels;
  std::vector<replay_call> calls;
};

template <class I>
typename I::result_type inspect(I& f, replay_argument& x) {
  return f(x.name, x.bytes, x.content);
}
template <class I>
typename I::result_type inspect(I& f, replay_call& x) {
  return f(x.plan, x.arguments);
}
template <class I>
typename I::result_type inspect(I& f, replay& x) {
  return f(x.device, x.limit_ms, x.modules, x.kernels, x.calls);
}

} // namespace kevolve::cuda_wire
