// Tests the compile server of the target `cuda`, in process and as a program.
#include "backends/framework/framework_source.hpp"
#include "backends/gpu_compile_server/engine.hpp"
#include "backends/target.hpp"
#include "runtime/base/kinds.hpp"
#include "tests/cuda/runner_driver.hpp"
#include "tests/support/server_fixture.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdlib>

using namespace kevolve;
using namespace kevolve::testing;

namespace {

class nobody final : public attention {
public:
  int descriptor() const override { return -1; }
  bool attend() override { return true; }
};

compile_request reference(std::string source) {
  compile_request r;
  r.job = random_id();
  r.role = compile_role::reference;
  r.language = "pytorch";
  r.entry = "scale";
  r.source = std::move(source);
  r.limit_ms = 600'000; // ends what hangs
  return r;
}

const std::string good = "import torch\n\ndef scale(x, y, n):\n    torch.mul(x, 2, out=y)\n";

compile_outcome answer(const compile_request& request) {
  const scratch_folder folder;
  cuda::nvidia_compiler_options options;
  options.scratch = folder.path();
  options.architecture = "sm_90a";
  options.done_without = {"landlock"}; // this test concerns the answers
  auto engine = cuda::cuda_engine::make(options, "");
  REQUIRE_MESSAGE(engine.has_value(), (engine ? "" : to_string(engine.error())));
  nobody listener;
  return (*engine)->run(request, listener);
}

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

bool skip() {
  const auto none = cuda::find_python().empty();
  if (none)
    MESSAGE("skipped: no python3 in PATH");
  return none;
}

} // namespace

TEST_CASE("a framework's source round-trips through one string, and other strings are rejected") {
  for (const auto& m : {framework_source{"f", ""}, framework_source{"scale", good}, framework_source{"f", "\n\n"}}) {
    const auto bytes = pack_framework(m);
    CHECK(bytes.starts_with("kevolve-pytorch 1\n" + m.entry + "\n"));
    const auto back = unpack_framework(bytes);
    REQUIRE(back.has_value());
    CHECK(back->entry == m.entry);
    CHECK(back->source == m.source);
  }
  for (const auto* bytes : {"", "kevolve-pytorch 1\n", "kevolve-pytorch 1\nf", "kevolve-pytorch 1\n\nx",
                            "\x7f"
                            "ELF",
                            "kevolve-pytorch 2\nf\nx", "kevolve-cuda-1\nf\nx"})
    CHECK_FALSE(unpack_framework(bytes).has_value());
}

TEST_CASE("a Python reference that parses and has its entry is passed on unchanged") {
  if (skip())
    return;
  for (auto role : {compile_role::reference, compile_role::oracle}) {
    auto request = reference(good);
    request.role = role;
    const auto built = answer(request);
    REQUIRE_MESSAGE(built.result == verdict::pass, built.log << built.trouble.detail);
    CHECK(built.job == request.job);
    const auto module = unpack_framework(built.artifact);
    REQUIRE(module.has_value());
    CHECK(module->entry == "scale");
    CHECK(module->source == good);
  }
}

TEST_CASE("an error in a Python reference is reported with its line") {
  if (skip())
    return;
  const struct {
    std::string source;
    const char* says;
  } cases[] = {
      {"import torch\ndef scale(x, y:\n    pass\n", "reference.py:2:"},
      {"def scale(x):\n  return x\n return x\n", "reference.py:3:"},
      {"def other(x):\n    pass\n", "there is no function 'scale' at the top level"},
      {"class M:\n    def scale(self):\n        pass\n", "there is no function 'scale' at the top level"},
      {"scale = 3\n", "there is no function 'scale'"},
      {std::string{"def scale(x):\n  return '\0'\n", 28}, "error: "},
      {"def scale(x):\n  return '\xff'\n", "error: "},
      {"def scale(x):\n  return " + std::string(50'000, '(') + "\n", "error"},
      {"", "there is no function 'scale'"},
  };
  for (const auto& c : cases) {
    CAPTURE(c.says);
    const auto built = answer(reference(c.source));
    CHECK_FALSE(built.trouble);
    CHECK(built.result == verdict::compile_error);
    CHECK_MESSAGE(has(built.log, c.says), built.log);
    CHECK(built.artifact.empty());
  }
  // The reference is called with the task's arguments by name.
  auto called = reference("def scale(\n  x, y):\n  pass\n");
  called.task.arguments.resize(2);
  called.task.arguments[0].name = "x";
  called.task.arguments[1].name = "y";
  CHECK(answer(called).result == verdict::pass);
  called.task.arguments[1].role = argument_role::output;
  CHECK(has(answer(called).log, "reference.py:2:6: error: parameter 'y' is no input, size or scalar of the task"));
  called.source = "def scale(x, *rest, **named):\n  pass\n";
  CHECK(answer(called).result == verdict::pass);
  called.source = "def scale(x, /):\n  pass\n";
  CHECK(has(answer(called).log, "reference.py:1:11: error: parameter 'x' is positional only"));
  called.source = "def made(f):\n  return f\n@made\ndef scale(a, b):\n  pass\n";
  CHECK(answer(called).result == verdict::pass);
  called.source = "def scale(a, b):\n  pass\nscale = lambda x: x\n";
  CHECK(answer(called).result == verdict::pass);
  // The module is parsed but not run.
  CHECK(answer(reference("raise SystemExit(7)\ndef scale(x):\n    pass\n")).result == verdict::pass);
}

TEST_CASE("each language has its own tool, and others are refused by name") {
  auto request = reference(good);
  request.kind = compile_kind::syntax_tree;
  auto built = answer(request);
  CHECK(built.result == verdict::compile_error);
  CHECK(built.log == "no syntax tree of pytorch\n");
  request = reference(good);
  request.role = compile_role::candidate;
  CHECK(has(answer(request).log, "a candidate's language is cuda"));
  request = reference("int x;");
  request.language = std::string{"c"};
  built = answer(request);
  CHECK(built.job == request.job);
  CHECK(built.result == verdict::compile_error);
  CHECK(built.log == "there is no language 'c' here; there are: cuda, triton, hip, pytorch\n");
  request.language = "cuda";
  request.flags = "-O9";
  CHECK(has(answer(request).log, "there is no flag set '-O9'"));
}

TEST_CASE("every language of the targets on a device has a compiler in their compile server") {
  const auto read = cuda::cuda_engine::languages();
  size_t asked = 0;
  for (const auto& name : target_names()) {
    if (!runs_on_device(name))
      continue;
    const auto target = make_target(name, "");
    REQUIRE(target.has_value());
    auto wanted = (*target)->languages();
    const auto references = (*target)->reference_languages();
    wanted.insert(wanted.end(), references.begin(), references.end());
    asked += wanted.size();
    for (const auto& language : wanted)
      CHECK_MESSAGE(std::count(read.begin(), read.end(), language) == 1,
                    "target " << name << ": language '" << language
                              << "' needs one row in backends/gpu_compile_server/engine.cpp");
  }
  CHECK(asked > 0);
  for (const auto& language : read)
    CHECK(find_language(language).name == language);
}

TEST_CASE("the program serves both languages over its channel") {
  if (skip())
    return;
  const auto* path = std::getenv("PATH");
  server_setup setup;
  setup.program = "kevolve-compile-server-cuda";
  setup.path = path == nullptr ? "/usr/bin:/bin" : path;
  setup.more = {"--architecture", "sm_80", "--python", cuda::find_python(), "--allow-weak-sandbox", "landlock"};
  server_fixture server{setup};
  const auto hello = server.hello();
  CHECK(hello.kind == "compile-server");
  CHECK(hello.facts.count("sandbox") == 1);
  CHECK(hello.facts.count("nvcc") == 1);
  CHECK(server.compile(reference(good)).result == verdict::pass);
  CHECK(server.compile(reference("def scale(\n")).result == verdict::compile_error);
  if (!why_no_compiler().empty()) {
    MESSAGE("skipped: " << why_no_compiler());
    return;
  }
  auto device =
      reference("/* launch plan\n[[kernel]]\nname = \"k\"\ngrid = [1]\nblock = [32]\narguments = [\"x\"]\n*/\n"
                "extern \"C\" __global__ void k(float *x) { x[threadIdx.x] = 1.0f; }\n");
  device.role = compile_role::candidate;
  device.language = "cuda";
  device.flags = "O3";
  device.limit_ms = 600'000; // ends what hangs
  const auto built = server.compile(device);
  CHECK_MESSAGE(built.result == verdict::pass, built.log << built.trouble.detail);
}
