#include "backends/triton/triton_target.hpp"

#include "backends/launch_plan/package.hpp"
#include "backends/launch_plan/plan_check.hpp"
#include "backends/triton/candidate_format.hpp"
#include "backends/triton/triton_flags.hpp"
#include "backends/triton/triton_plan.hpp"
#include "runtime/base/ids.hpp"

namespace kevolve {

std::string triton_target::name() const {
  return "triton";
}

std::vector<std::string> triton_target::languages() const {
  return {"triton"};
}

candidate_form triton_target::form(const contract& task) const {
  return cuda::triton_form(task);
}

std::string triton_target::lint_candidate(const contract& task, const std::string& source) const {
  const auto file = form(task).file;
  const auto parts = split_triton_candidate(source);
  if (!parts)
    return file + ":1:1: error: " + parts.error().detail + "\n";
  const auto plan = parse_triton_plan(parts->plan, task);
  return plan ? "" : plan_errors(plan.error(), file, parts->plan_line);
}

std::vector<flag_set> triton_target::flag_menu() const {
  return cuda::triton_flag_menu();
}

std::string triton_target::devices_of() const {
  return "cuda";
}

// The compile server, its Python and its references are those of the target `cuda`.
std::string triton_target::toolchain_fingerprint(const std::vector<std::string>& libraries) const {
  std::string text = "triton-toolchain 1\n" + nvidia_target::toolchain_fingerprint(libraries) + "\n" + python().triton
                     + "\nPython " + python().version + "\n";
  for (const auto& f : flag_menu())
    text += f.name + " " + cuda::triton_options(f.name) + "\n";
  return sha256_hex(text);
}

std::vector<doctor_row> triton_target::doctor() const {
  return cuda::examine_cuda(examination(), cuda::candidate_compiler::triton);
}

std::string triton_target::missing_requirements() const {
  return cuda::missing_in(cuda::examine_machine(examination(), cuda::candidate_compiler::triton));
}

std::vector<std::pair<std::string, std::string>> triton_target::about() const {
  auto out = nvidia_target::about();
  for (auto& [what, text] : out)
    if (what == "toolchain")
      text = python().triton.empty() ? "no Triton" : "Triton " + python().triton + " for " + architecture();
  return out;
}

} // namespace kevolve
