// Fuzzes compilers' messages about hostile sources, and drivers' command lines.
#include "backends/compile/diagnosis.hpp"
#include "backends/cpu/toolchain.hpp"
#include "tests/fuzz/input.hpp"

using namespace kevolve;
using namespace kevolve::fuzzing;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static const std::vector<std::string> words;
  static const std::vector<std::string> folders{"/tmp/kevolve-compile.1.abcdef", "/tmp/headers", ""};
  value_source in{view(data, size), words};
  step_result step;
  step.end = static_cast<step_end>(in.take<uint8_t>() % 5U);
  step.value = in.take<uint8_t>();
  const auto text = in.rest();
  const auto said = diagnose(step, text);
  // The result is a verdict or a fault, never both; neither only after success.
  require(said.result == verdict::none || !said.trouble);
  const bool passed = step.end == step_end::exited && step.value == 0;
  require(passed == (said.result == verdict::none && !said.trouble));
  const auto log = clean_log(text, folders);
  require(log.size() <= most_log + 64);
  for (const auto& folder : folders)
    require(folder.empty() || log.size() > most_log || log.find(folder + "/") == std::string::npos);
  // The message about an undefined name is our own text, plus at most one name of the task.
  require(missing_entry(text, "entry_of_the_task").size() <= 256);
  require(missing_library(text, {"libgomp"}).size() <= 256);
  for (const auto& word : split_command(std::string{text}))
    require(word.size() <= text.size());
  return 0;
}
