// Limits of passes by processor time.
#include "backends/profile/locked_sandbox.hpp"
#include "backends/profile/work_time.hpp"

#include <doctest/doctest.h>

#include <fcntl.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <filesystem>

using namespace kevolve;

namespace {

// Runs a shell's script as a locked step that may work for so many seconds.
step_result run_script(const std::string& script, uint32_t processor_seconds) {
  std::string folder = std::filesystem::temp_directory_path() / "kevolve-work-time-XXXXXX";
  REQUIRE(::mkdtemp(folder.data()) != nullptr);
  locked_pass_sandbox sandbox;
  locked_command command;
  command.argv = {"/bin/sh", "-c", script};
  command.directory = folder;
  command.output = "out";
  command.diagnostics = "errors";
  command.deadline = std::chrono::steady_clock::now() + std::chrono::minutes{10};
  command.processor_seconds = processor_seconds;
  const auto end = sandbox.run_tool(command, {});
  std::filesystem::remove_all(folder);
  return end;
}

} // namespace

TEST_CASE("steps start also after a descriptor that was open at the first of them is closed") {
  const auto low = ::open("/dev/null", O_RDONLY | O_CLOEXEC);
  CHECK(run_script("true", 60).end == step_end::exited);
  ::close(low);
  CHECK(run_script("true", 60).end == step_end::exited);
}

TEST_CASE("work counts, but never more than the time that passed") {
  CHECK(counted_s({10.0, 1.0}, {40.0, 1.5}) == doctest::Approx{0.5}); // others had the processor
  CHECK(counted_s({10.0, 1.0}, {11.0, 9.0}) == doctest::Approx{1.0}); // eight threads
  CHECK(counted_s({10.0, 2.0}, {11.0, 1.0}) == 0.0);
}

TEST_CASE("the work of this process and of its ended children is read") {
  const auto before = work_time_now();
  const auto children = worked_by_children_s();
  REQUIRE(run_script("i=0; while [ $i -lt 20000 ]; do i=$((i+1)); done", 60).end == step_end::exited);
  CHECK(worked_by_children_s() > children);
  const auto after = work_time_now();
  CHECK(after.worked_s - before.worked_s >= worked_by_children_s() - children);
  CHECK(after.passed_s > before.passed_s);
}

TEST_CASE("a limit is given in whole seconds, and never as none") {
  CHECK(whole_processor_seconds(0.0) == 1);
  CHECK(whole_processor_seconds(10.2) == 11);
  CHECK(whole_processor_seconds(1e9) == 3600);
}

TEST_CASE("a step that works past its limit ends as over time, and one that a signal ends does not") {
  CHECK(run_script("while :; do :; done", 1).end == step_end::over_time);
  const auto crashed = run_script("exec perl -e 'unpack(\"p\", pack(\"J\", 1))'", 60);
  CHECK(crashed.end == step_end::signalled);
  CHECK(crashed.value == SIGSEGV);
}
