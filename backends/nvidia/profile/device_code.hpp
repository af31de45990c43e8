// The machine code and the launches of a candidate, as the passes read them from the build that counts.
#pragma once

#include "backends/launch_plan/package.hpp"
#include "backends/nvidia/cubin.hpp"
#include "backends/profile/pass.hpp"

namespace kevolve {

struct device_code {
  std::vector<std::string> modules;
  launch_plan plan;
  cubin_facts facts;
};

// Reads a build. errc::bad_input: the build is no device package for NVIDIA's devices.
result<device_code> read_device_code(const pass_request& q);
// Resolves the launches for the request's shape without data. errc::unsupported: a size depends on data.
result<resolved_plan> outline_launches(const device_code& code, const pass_request& q);

// Returns the text as words of a failed resolution.
std::string words_of_plan(const std::vector<std::string>& problems);
// Returns a number of the request's evidence; 0 if it has none of that name.
double evidence_number(const pass_request& q, const std::string& name);

} // namespace kevolve
