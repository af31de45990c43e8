// Plain calls of compiled sources. Which one is faster is not asserted.
#include "tools/bench/skills/call_pair.hpp"

#include "config/task.hpp"
#include "tools/bench/landscape/screening.hpp"

#include <doctest/doctest.h>

#include <cstdlib>

using namespace kevolve;
using namespace kevolve::bench;

namespace {

std::string variable(const char* name) {
  const char* value = std::getenv(name);
  REQUIRE(value != nullptr);
  return value;
}

} // namespace

TEST_CASE("plain calls tell a right candidate from a wrong one and from one that crashes") {
  if (std::system("clang-19 --version >/dev/null 2>&1") != 0)
    return;
  const auto spec =
      small_task(variable("KEVOLVE_SOURCE") + "/config/tasks/layernorm.task.toml", {{"rows", 4}, {"cols", 16}}).value();
  const auto hardware = make_target("cpu", variable("KEVOLVE_BIN")).value();
  const auto context = bench::context_of(*hardware, spec);
  const auto pair = call_pair::make(variable("KEVOLVE_BIN") + "/bench-call-runner", context, 1);
  REQUIRE_MESSAGE(pair, (pair ? "" : pair.error().detail));
  const auto measured = [&](const std::string& source) {
    const auto object = pair->compiled(source, "O2");
    REQUIRE(object);
    return pair->measure(*object, 1).value();
  };
  const auto same = measured(spec.reference_source);
  CHECK(same.result == verdict::pass);
  CHECK(same.speedup > 0.0);
  CHECK(same.ci_low < same.speedup);
  CHECK(measured("void " + context.task.entry + "(void) {}\n").result == verdict::wrong_result);
  CHECK(measured("void " + context.task.entry + "(void) { __builtin_trap(); }\n").result == verdict::crashed);
  CHECK(pair->compiled("no C", "O2").error().code == errc::bad_input);
  const auto tree = pair->syntax_tree(spec.reference_source);
  REQUIRE(tree);
  CHECK(tree->find("FunctionDecl") != std::string::npos);
}
