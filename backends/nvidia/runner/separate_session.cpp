#include "backends/nvidia/runner/separate_session.hpp"

#include "backends/nvidia/runner/call_phases.hpp"

#include <algorithm>

namespace kevolve::cuda {

bool separate_session::load_alone(const std::vector<std::string>& modules, const std::vector<std::string>& kernels,
                                  cuda_wire::answer& how) {
  images_ = modules;
  for (const auto& name : kernels)
    kernels_.push_back({name, nullptr, {}});
  return load_code(how);
}

bool separate_session::prepare(const cuda_wire::replay_call& wanted,
                               const std::function<void(const std::string&, device_pointer, uint64_t)>& placed,
                               cuda_wire::answer& how) {
  order_ = {};
  order_.plan = wanted.plan;
  scratch_places_.clear();
  for (const auto& a : wanted.arguments) {
    device_pointer at = 0;
    if (!place(a.name, a.bytes, at, how))
      return false;
    placed(a.name, at, a.bytes);
    if (!a.content.empty() && !well(call_->to_device(at, a.content.data(), a.bytes, stream_), "inputs", how))
      return false;
    order_.places[a.name] = at;
  }
  for (const auto& s : wanted.plan.scratch) {
    device_pointer at = 0;
    if (!place(s.name, s.bytes, at, how))
      return false;
    placed(s.name, at, s.bytes);
    scratch_places_.push_back({s.name, at, s.bytes, s.zeroed});
  }
  return encode_maps(how);
}

bool separate_session::call(cuda_wire::answer& how) {
  return well(launch_all(), call_phase::launch, how) && well(call_->synchronize(stream_), "run", how)
         && well(call_->context_synchronize(), "run", how);
}

bool separate_session::place(const std::string& name, uint64_t bytes, device_pointer& at, cuda_wire::answer& how) {
  if (well(call_->allocate(&at, std::max<uint64_t>(bytes, 1)), call_phase::arena, how))
    return true;
  how.detail = "there is no room for '" + name + "': " + how.name;
  return false;
}

} // namespace kevolve::cuda
