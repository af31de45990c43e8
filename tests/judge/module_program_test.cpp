#include "backends/framework/module_program.hpp"

#include "backends/framework/framework_source.hpp"

#include <doctest/doctest.h>

namespace kevolve {

TEST_CASE("a module's program calls it with the task's inputs, and has its weights installed") {
  const auto packed = module_program({"class Model: ...",
                                      "Model",
                                      false,
                                      false,
                                      {{"x", "input 0"},
                                       {"w", "parameter fc.weight"},
                                       {"mean", "buffer norm.mean"},
                                       {"z", "input 2"},
                                       {"mask", "constant 0 part.mask"},
                                       {"made", "constant 1"},
                                       {"rows", ""},
                                       {"b", "output 1"},
                                       {"a", "output 0"}}});
  const auto program = unpack_framework(packed);
  REQUIRE(program);
  CHECK(program->source.starts_with("class Model: ...\n"));
  const auto has = [&](const std::string& text) { return program->source.find(text) != std::string::npos; };
  CHECK(has("_target = _made_target(\"Model\", \"module\", False)\n"));
  CHECK(has("_constants((0, 2, ))"));
  CHECK(has("_installer(_target, {\"w\": \"fc.weight\", \"mean\": \"norm.mean\", \"mask\": \"part.mask\", })"));
  CHECK(has("def " + program->entry + "(x, z):\n"));
  CHECK(has("_target(x, _fixed[1], z, *_later), (1, 0, ))")); // outputs in the task's order
}

} // namespace kevolve
