// The parts of plan.json that tell a bundle's Python package how kernels are launched on a GPU. Pure.
#pragma once

#include "tools/kevolve/bundle/bundle.hpp"

#include <optional>
#include <string>
#include <vector>

namespace kevolve {

// Returns the plan with its expressions as text; the package evaluates them (launch_plan.py).
json launch_plan_json(const launch_plan& plan);

// Returns which of b.kernels runs at each of the task's shapes; nothing: the reference does. It is the fastest where
// times are known, unless it is slower than least_speedup, and the first elsewhere.
std::vector<std::optional<size_t>> kernel_choices(const bundle_input& b);

// Returns the parameters of a Python function of the source, in order; nothing: there is no such function.
std::optional<std::vector<std::string>> parameters_of(const std::string& source, const std::string& function);

// Returns the module that a PyTorch function is for a package, whose parameters are named like the task's arguments.
// errc::unsupported: it cannot be called with the arrays alone.
result<task_module> module_of_function(const contract& task, const std::string& source);

// Returns plan.json's entry of a kernel. Its files are named after its place.
json device_kernel_json(const device_kernel& k, size_t place);
// Returns the kernels' files, below the package's folder `name`.
std::vector<bundle_file> device_kernel_files(const bundle_input& b, const std::string& name);

} // namespace kevolve
