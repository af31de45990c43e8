#include "backends/nvidia/sass_step.hpp"

#include <filesystem>

namespace kevolve::cuda {

namespace {

using steady = std::chrono::steady_clock;
// For all modules; usually a quarter of a second each. The node waits 20 s longer than the compiler may take.
constexpr auto most_time = std::chrono::milliseconds{10'000};
constexpr size_t most_listing = 16U << 20U; // some 200,000 instructions
constexpr size_t most_json = 32U << 10U;    // stored with every build, as its log is
constexpr const char* file = "module.cubin";

// Returns the shared memory of the kernel itself. From compute capability 9.0 on, its section begins with a kibibyte of
// the system's.
uint32_t own_shared(uint32_t section_bytes, uint32_t capability) {
  constexpr uint32_t of_the_system = 1024;
  return capability < 90 || section_bytes < of_the_system ? section_bytes : section_bytes - of_the_system;
}

void add_facts_of(sass_kernel& k, const cubin_facts& facts) {
  if (const auto n = facts.registers.find(k.name); n != facts.registers.end())
    k.registers = n->second;
  if (const auto n = facts.static_shared.find(k.name); n != facts.static_shared.end())
    k.static_shared = own_shared(n->second, facts.capability);
}

} // namespace

result<sass_step> sass_step::make(const compiler_options& options, std::string program) {
  if (program.empty())
    return sass_step{{}, {}};
  auto tool = locked_tool::make(options, {program});
  if (!tool)
    return tl::unexpected(tool.error());
  return sass_step{std::move(program), std::move(*tool)};
}

result<std::string> sass_step::listing(const std::string& module, std::chrono::milliseconds limit,
                                       attention& listener) const {
  // Lists the code without the analysis of branch targets, in a third of the time.
  return tool_->printed({program_, "-c", "-ndf", file}, file, module, limit, most_listing, listener);
}

result<std::vector<sass_kernel>> sass_step::kernels(const std::vector<std::string>& modules,
                                                    attention& listener) const {
  if (!tool_)
    return fail(errc::unavailable, "there is no nvdisasm");
  const auto name = std::filesystem::path{program_}.filename().string();
  const auto until = steady::now() + most_time;
  std::vector<sass_kernel> out;
  for (const auto& module : modules) {
    const auto text = listing(module, std::chrono::ceil<std::chrono::milliseconds>(until - steady::now()), listener);
    if (!text)
      return fail(text.error().code, name + ": " + text.error().detail);
    for (auto& k : read_sass(*text))
      out.push_back(std::move(k));
  }
  if (out.empty())
    return fail(errc::bad_input, name + " lists no kernel");
  return out;
}

std::map<std::string, std::string> sass_step::evidence(const std::vector<std::string>& modules,
                                                       const cubin_facts& facts, const contract& task,
                                                       attention& listener) const {
  auto found = kernels(modules, listener);
  if (!found)
    return {{"sass", "not read: " + found.error().detail}};
  for (auto& k : *found)
    add_facts_of(k, facts);
  auto figures = sass_json(*found);
  if (figures.size() > most_json)
    return {{"sass", "not read: there are too many kernels"}};
  std::map<std::string, std::string> out{{"sass", std::move(figures)}};
  if (auto notes = sass_notes(*found, task); !notes.empty())
    out["sass.notes"] = std::move(notes);
  return out;
}

} // namespace kevolve::cuda
