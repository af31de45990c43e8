#include "backends/profile/tool_output.hpp"

#include "backends/profile/work_time.hpp"

#include <filesystem>
#include <fstream>
#include <sstream>

namespace kevolve {

namespace {

constexpr size_t most_said = 300;

} // namespace

result<void> write_pass_file(const pass_request& q, const std::string& name, const std::string& content) {
  std::ofstream out{q.folder + "/" + name, std::ios::binary};
  out << content;
  return out.flush() ? result<void>{} : fail(errc::io, "cannot write " + name + " in the pass's folder");
}

std::string read_pass_file(const pass_request& q, const std::string& name) {
  std::ifstream in{q.folder + "/" + name, std::ios::binary};
  std::ostringstream out;
  out << in.rdbuf();
  return std::move(out).str();
}

result<std::string> tool_output(const pass_request& q, std::vector<std::string> argv,
                                const std::vector<std::string>& readable) {
  if (q.sandbox == nullptr)
    return fail(errc::unavailable, "no tool runs here");
  locked_command command;
  const auto tool = std::filesystem::path{argv.front()}.filename().string();
  command.argv = std::move(argv);
  command.directory = q.folder;
  command.output = "said";
  command.diagnostics = "said.errors";
  command.deadline = q.deadline;
  command.processor_seconds = q.step_s > 0.0 ? whole_processor_seconds(q.step_s) : 0;
  const auto end = q.sandbox->run_tool(command, readable);
  if (end.end == step_end::exited && end.value == 0)
    return read_pass_file(q, "said");
  if (end.end == step_end::over_time)
    return fail(errc::unavailable, tool + " took longer than the pass may");
  if (end.end == step_end::not_started)
    return fail(errc::unavailable, tool + ": " + end.trouble.detail);
  return fail(errc::unavailable, tool + " failed (" + std::to_string(end.value)
                                     + "): " + read_pass_file(q, "said.errors").substr(0, most_said));
}

} // namespace kevolve
