#include "backends/cuda/cuda_target.hpp"

#include "backends/cuda/candidate_format.hpp"
#include "backends/launch_plan/package.hpp"
#include "backends/launch_plan/plan_check.hpp"

namespace kevolve {

std::string cuda_target::name() const {
  return "cuda";
}

std::vector<std::string> cuda_target::languages() const {
  return {"cuda"};
}

candidate_form cuda_target::form(const contract& task) const {
  return cuda::plan_form(task);
}

std::string cuda_target::lint_candidate(const contract& task, const std::string& source) const {
  const auto file = form(task).file;
  const auto parts = split_candidate(source);
  if (!parts)
    return file + ":1:1: error: " + parts.error().detail + "\n";
  const auto plan = parse_plan(parts->plan, task);
  if (!plan)
    return plan_errors(plan.error(), file, parts->plan_line);
  auto misfits = plan_misfits(*plan, task, published_limits(capability()), {});
  return plan_errors(in_their_lines(std::move(misfits), parts->plan), file, parts->plan_line);
}

std::vector<flag_set> cuda_target::flag_menu() const {
  return cuda::cuda_flag_menu();
}

} // namespace kevolve
