// The list of targets. A new folder adds an include and an entry here.
#include "backends/cpu/cpu_target.hpp"
#include "backends/cuda/cuda_target.hpp"
#include "backends/hip/hip_target.hpp"
#include "backends/host_machine.hpp"
#include "backends/missing_helper.hpp"
#include "backends/target.hpp"
#include "backends/triton/candidate_format.hpp"
#include "backends/triton/triton_target.hpp"
#include "runtime/base/reserved.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <unistd.h>

#include <algorithm>

namespace kevolve {

namespace {

struct known_target {
  const char* name;
  bool on_device; // not the processor
  std::unique_ptr<target> (*make)(const std::string& bin_dir, std::vector<int> cores, const target_options& options);
};

constexpr known_target known[]{
    {"cpu", false,
     [](const std::string& bin_dir, std::vector<int> cores, const target_options& options) -> std::unique_ptr<target> {
       return std::make_unique<cpu_target>(bin_dir, std::move(cores), options);
     }},
    {"cuda", true,
     [](const std::string& bin_dir, std::vector<int> cores, const target_options& options) -> std::unique_ptr<target> {
       return std::make_unique<cuda_target>(bin_dir, std::move(cores), options);
     }},
    // hip compiles candidates in Triton, too; as no target may include another, their language is handed to it.
    {"hip", true,
     [](const std::string& bin_dir, std::vector<int> cores, const target_options& options) -> std::unique_ptr<target> {
       return std::make_unique<hip_target>(triton_language(), bin_dir, std::move(cores), options);
     }},
    {"triton", true,
     [](const std::string& bin_dir, std::vector<int> cores, const target_options& options) -> std::unique_ptr<target> {
       return std::make_unique<triton_target>(bin_dir, std::move(cores), options);
     }},
};

// Returns the first word that names a helper program which cannot be started. All of them lie beside the first.
std::string missing_program(const helper_command& how) {
  if (how.argv.empty())
    return {};
  const auto beside = how.argv.front().substr(0, how.argv.front().rfind('/') + 1) + "kevolve-";
  for (const auto& word : how.argv)
    if (word.starts_with(beside) && ::access(word.c_str(), X_OK) != 0)
      return word;
  return {};
}

} // namespace

std::string missing_helper(const target& of, bool judges) {
  auto path = missing_program(of.compile_server());
  if (path.empty() && judges)
    for (const auto& device : of.devices())
      if (path = missing_program(of.judge(device)); !path.empty())
        break;
  if (path.empty())
    return {};
  return path.substr(path.rfind('/') + 1) + " is missing: target " + of.name() + " starts it as " + path
         + "; build all programs (cmake --build build) or install them again (cmake --install build)";
}

result<std::unique_ptr<target>> make_target(const std::string& name, const std::string& bin_dir,
                                            const std::vector<int>& cores, const target_options& options) {
  const auto usable = usable_cores();
  for (auto core : cores)
    if (std::find(usable.begin(), usable.end(), core) == usable.end())
      return fail(errc::bad_input, fmt::format("cores of target {}: {} is none that this process may use ({})", name,
                                               core, fmt::join(usable, ", ")));
  for (const auto& k : known)
    if (k.name == name) {
      auto made = k.make(bin_dir, cores, options);
      if (const auto tier = to_string(made->trust()); is_reserved(reserved_place::trust_tier, tier))
        return fail(errc::unsupported, "target " + name + ": " + not_there_yet(reserved_place::trust_tier, tier));
      return made;
    }
  std::string names;
  for (const auto& n : target_names())
    names += (names.empty() ? "" : ", ") + n;
  return fail(errc::not_found, "no target '" + name + "'; there are: " + names);
}

std::vector<std::string> target_names() {
  std::vector<std::string> out;
  for (const auto& k : known)
    out.emplace_back(k.name);
  return out;
}

bool runs_on_device(const std::string& target) {
  return std::any_of(std::begin(known), std::end(known),
                     [&](const auto& k) { return k.name == target && k.on_device; });
}

std::vector<std::string> targets_here() {
  std::vector<std::string> out;
  for (const auto& k : known)
    if (const auto t = k.make({}, {}, {}); !t->devices().empty() && t->missing_requirements().empty())
      out.emplace_back(k.name);
  return out;
}

} // namespace kevolve
