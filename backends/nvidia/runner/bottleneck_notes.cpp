#include "backends/nvidia/runner/bottleneck_notes.hpp"

#include "backends/judge/sequential_test.hpp"
#include "backends/nvidia/runner/device_process.hpp"

namespace kevolve::cuda {

void note_bottlenecks(gpu_judge_context& b, const judge_request& request, const std::vector<compared_shape>& shapes,
                      const std::vector<clock_samples>& clocks, const std::map<std::string, kernel_facts>& kernels,
                      judge_outcome& out) {
  const auto code = read_program(request.candidate, request.task);
  if (!code)
    return;
  double longest = 0.0;
  for (size_t i = 0; i < shapes.size(); ++i) {
    const auto& shape = shapes[i];
    if (shape.inputs->shape.held_out || shape.candidate_ns.empty())
      continue;
    const auto& set = shape.inputs->sets.front();
    const auto plan = resolve_plan(code->plan, request.task, set.data);
    if (!plan)
      continue;
    const auto& took = i < clocks.size() ? clocks[i].launch_ns : std::vector<double>{};
    std::vector<filled> launches;
    for (const auto& l : plan->launches) {
      const auto facts = kernels.find(l.kernel);
      launches.push_back({l.kernel,
                          occupancy_of(l, facts == kernels.end() ? kernel_facts{} : facts->second, b.device.limits),
                          took.size() == plan->launches.size() ? took[launches.size()] : 0.0});
    }
    auto roofs = roofs_of(b, request.task, set);
    roofs.took_ns = interval_of_median(shape.candidate_ns).median;
    const auto found = bottleneck_of(roofs, launches);
    if (found.bound.empty())
      continue;
    out.evidence["bound." + shape.inputs->shape.name] = found.bound + ": " + found.why;
    if (roofs.took_ns <= longest)
      continue;
    longest = roofs.took_ns;
    out.evidence["bound"] = found.bound;
    out.evidence["bound.why"] = shape.inputs->shape.name + ": " + found.why;
  }
}

} // namespace kevolve::cuda
