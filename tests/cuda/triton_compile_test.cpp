// Tests compiling candidates in Triton to packages in the sandbox, including attacks. Uses the python3 of PATH and
// reports if it lacks Triton.
#include "actors/synthesis/prompt.hpp"
#include "backends/cuda/cuda_target.hpp"
#include "backends/launch_plan/package.hpp"
#include "backends/nvidia/cubin.hpp"
#include "backends/triton/triton_flags.hpp"
#include "backends/triton/triton_target.hpp"
#include "tests/cuda/runner_driver.hpp"
#include "tests/cuda/triton_driver.hpp"
#include "tests/support/plan_tasks.hpp"
#include "tests/support/server_fixture.hpp"

#include <doctest/doctest.h>

#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

using namespace kevolve;
using namespace kevolve::testing;

namespace {

bool skip() {
  if (!why_no_triton().empty())
    MESSAGE("skipped: " << why_no_triton());
  return !why_no_triton().empty();
}

compile_outcome compiled(const std::string& source, const std::string& flags = "default", uint32_t limit_ms = 60'000) {
  return compile_triton(source, rows_task(), flags, limit_ms);
}

// Returns the example of the document that models get.
std::string example() {
  const auto text = read_text(std::string{std::getenv("KEVOLVE_SOURCE")} + "/backends/triton/candidate_format.md");
  const auto from = text.find("```python\n") + 10;
  return text.substr(from, text.find("\n```\n", from) + 1 - from);
}

const std::string plan = "\"\"\"launch plan\n[[kernel]]\nname = 'k'\ngrid = [1]\narguments = ['x', 'y']\n\"\"\"\n"
                         "import triton\nimport triton.language as tl\n";
const std::string kernel = "@triton.jit\ndef k(x, y):\n    tl.store(y, tl.load(x))\n";

size_t processes() {
  size_t out = 0;
  for (const auto& task : std::filesystem::directory_iterator{"/proc/self/task"}) {
    std::ifstream in{task.path() / "children"};
    for (int pid = 0; in >> pid;)
      ++out;
  }
  return out;
}

} // namespace

TEST_CASE("a rejection by an untested Triton version mentions the version") {
  if (skip())
    return;
  const std::string broken = plan + "raise ValueError('mine')\n";
  CHECK_FALSE(contains(compiled(broken).log, "is what was tried"));
  const std::string elsewhere = plan + "triton.__version__ = '3.5.1'\nraise ValueError('mine')\n";
  CHECK(contains(compiled(elsewhere).log, "Triton 3.5.1 compiles here, 3.6 is what was tried"));
}

TEST_CASE("the documented example compiles to a package with a complete plan") {
  if (skip())
    return;
  for (const auto& flags : cuda::triton_flag_menu()) {
    CAPTURE(flags.name);
    const auto built = compiled(example(), flags.name);
    REQUIRE_MESSAGE(built.result == verdict::pass, built.log << built.trouble.detail);
    CHECK(contains(built.log, "registers")); // shown to the next generator
    const auto package = unpack(built.artifact);
    REQUIRE(package.has_value());
    REQUIRE(package->modules.size() == 2);
    const auto first = read_cubin(package->modules[0]);
    REQUIRE(first.has_value());
    CHECK(first->capability == 90);
    CHECK(first->static_shared.count("sum_tiles") == 1);
    const auto whole = parse_plan(package->plan, rows_task());
    REQUIRE_MESSAGE(whole.has_value(), package->plan);
    CHECK(whole->kernels[0].block[0] == "256"); // 8 warps
    CHECK(whole->kernels[1].block[0] == "128");
    const auto resolved = resolve_plan(*whole, rows_task(), rows_data(3, 2500));
    REQUIRE(resolved.has_value());
    CHECK(resolved->launches[0].grid == std::array<uint32_t, 3>{3, 3, 1});
    CHECK(resolved->launches[0].parameters.size() == 6); // includes two pointers to scratch memory
  }
  CHECK(compiled(example()).artifact == compiled(example()).artifact);
}

TEST_CASE("every fixture in Triton compiles, and has its stated property") {
  if (skip())
    return;
  for (const auto& f : load_cuda_fixtures("triton")) {
    CAPTURE(f.name);
    const auto built = compile_triton(f.source, iterate_task());
    REQUIRE_MESSAGE(built.result == verdict::pass, built.log << built.trouble.detail);
    const auto plan_of_it = parse_plan(unpack(built.artifact)->plan, iterate_task());
    REQUIRE(plan_of_it.has_value());
    CHECK((f.name == "makes_descriptors" || f.name == "stores_by_descriptor")
          == (!plan_of_it->scratch.empty() && plan_of_it->scratch[0].name.starts_with("kevolve")));
    if (f.name == "large_shared")
      CHECK(std::stoi(plan_of_it->kernels[0].shared) > 49'152);
  }
}

TEST_CASE("errors in Triton have the author's own line numbers") {
  if (skip())
    return;
  const struct {
    std::string source;
    const char* says;
  } cases[] = {
      {kernel, "a candidate begins with its launch plan"},
      {plan + "@triton.jit\ndef k(x, y):\n    tl.store(y, nothing)\n", "candidate.py:11:1: error: 'k': at 2:"},
      {plan + "def k(x, y):\n", "candidate.py:9:1: error: IndentationError"},
      {plan + "def k(x, y):\n    pass\n", "'k' is no @triton.jit function"},
      {plan + "@triton.jit\ndef other(x, y):\n    pass\n", "the module has no such function"},
      {plan + "@triton.jit\ndef k(x):\n    pass\n", "takes 1 arguments beside its constants (x), the plan passes 2"},
      {plan + "@triton.jit\ndef k(x, y, B: tl.constexpr):\n    pass\n", "wants a value for B: tl.constexpr"},
      {plan + "@triton.autotune(configs=[triton.Config({})], key=[])\n" + kernel, "the plan has [[configuration]]"},
      {plan + "import torch\n" + kernel, "No module named 'torch'"},
      {"\"\"\"launch plan\n[[kernel]]\nname = 'k'\ngrid = [1]\nblock = [1]\narguments = ['x', 'y']\n\"\"\"\n" + kernel,
       "candidate.py:5:9: error: kernel[0].block: no key of a kernel in Triton"},
  };
  for (const auto& c : cases) {
    CAPTURE(c.says);
    const auto built = compiled(c.source);
    CHECK(built.result == verdict::compile_error);
    CHECK_FALSE(built.trouble);
    CHECK_MESSAGE(contains(built.log, c.says), built.log);
  }
  CHECK(contains(compiled(plan + kernel, "-O9").log, "there is no flag set '-O9'"));
}

TEST_CASE("a module hostile to the compile step is refused, reveals nothing and leaves nothing") {
  if (skip())
    return;
  const scratch_folder outside;
  const auto secret = outside.path() + "/secret";
  const auto mark = outside.path() + "/mark";
  std::ofstream{secret} << "kevolve-needle-77af\n";
  ::setenv("KEVOLVE_TEST_KEY", "kevolve-needle-77af", 1);
  const auto before = compiled(plan + kernel);
  REQUIRE_MESSAGE(before.result == verdict::pass, before.log << before.trouble.detail);
  if (!contains(before.sandbox_level, "landlock")) {
    MESSAGE("skipped: without Landlock a module may read what this user may, and candidates are refused");
    return;
  }
  const std::string refused = "compile_error";
  const struct {
    const char* what;
    std::string source; // follows the plan
    std::vector<std::string> expected;
  } attacks[] = {
      {"reads a secret", "raise ValueError(open('" + secret + "').read())\n", {refused}},
      {"reads passwd", "raise ValueError(open('/etc/passwd').read())\n", {refused}},
      {"reads the server's memory", "import os\nopen(f'/proc/{os.getppid()}/environ').read()\n", {refused}},
      {"prints its environment", "import os\nraise ValueError(str(dict(os.environ)))\n", {refused}},
      {"writes outside", "open('" + mark + "', 'w').write('x')\n", {refused}},
      {"a shell that writes outside", "import os\nos.system('touch " + mark + "')\n" + kernel, {"pass"}},
      {"a decorator that acts",
       "def d(f):\n    open('" + mark + "', 'w')\n    return f\n@d\n@triton.jit\ndef k(x, y):\n    pass\n",
       {refused}},
      {"a default that acts", "@triton.jit\ndef k(x, y=open('" + mark + "', 'w')):\n    pass\n", {refused}},
      {"acts while it is compiled",
       "import os\n@triton.jit\ndef k(x, y):\n    os.system('touch " + mark + "')\n",
       {refused, "pass"}},
      {"calls the network", "import socket\nsocket.create_connection(('127.0.0.1', 22))\n", {refused}},
      {"kills the server", "import os\nos.kill(os.getppid(), 9)\n", {refused}},
      {"loops for ever", "while True:\n    pass\n", {"timeout"}},
      {"sleeps for ever", "import time\ntime.sleep(1000)\n", {"timeout"}},
      {"wants all memory", "x = bytearray(1 << 42)\n", {refused, "out_of_memory"}},
      {"writes gigabytes",
       "for i in range(1000):\n    with open(f'f{i}', 'wb') as f:\n        for _ in range(60):\n            "
       "f.write(bytes(1 << 20))\n",
       {refused}},
      {"writes what has no name",
       "import os, time\nfds = []\nfor i in range(20):\n    fds.append(os.open('f', os.O_CREAT | os.O_RDWR))\n"
       "    os.unlink('f')\n    os.posix_fallocate(fds[-1], 0, 60 << 20)\ntime.sleep(5)\n"
           + kernel,
       {refused}},
      {"writes deeper than a path is long",
       "import os, time\nfor _ in range(25):\n    os.mkdir('d' * 200)\n    os.chdir('d' * 200)\nfor i in range(20):\n"
       "    with open(f'f{i}', 'wb') as f:\n        os.posix_fallocate(f.fileno(), 0, 60 << 20)\ntime.sleep(5)\n"
           + kernel,
       {refused}},
      {"writes one large file",
       "with open('f', 'wb') as f:\n    while True:\n        f.write(bytes(1 << 20))\n",
       {refused}},
      {"floods the log", "while True:\n    print('x' * 1000)\n", {refused}},
      {"leaves a process behind",
       "import os, time\nif os.fork() == 0:\n    os.setsid()\n    if os.fork() == 0:\n        time.sleep(1000)\n"
       "    os._exit(0)\n"
           + kernel,
       {"pass"}},
      {"leaves one that goes on writing",
       "import os\nif os.fork() == 0:\n    os.setsid()\n    while True:\n        open('built', 'w').write('4 0 2 0 0 "
       "1')\n"
       "        open('candidate.py', 'w').write('')\n"
           + kernel,
       {"pass", refused}},
      {"claims to be done", "import os\nos._exit(0)\n", {refused}},
      {"claims a result",
       "import os\nopen('built', 'w').write('4 0 2 0 0 1')\nopen('module.0', 'w').write('x')\nos._exit(0)\n",
       {refused}},
      {"claims numbers", "import os\nopen('built', 'w').write('4 -1 2 0 0 1')\nos._exit(0)\n", {refused}},
      {"links to a secret",
       "import os\nopen('built', 'w').write('4 0 2 0 0 1')\nos.symlink('" + secret + "', 'module.0')\nos._exit(0)\n",
       {refused}},
      {"locks its folder",
       "import os\nos.makedirs('a/b')\nos.chmod('a', 0)\nos.chmod('.', 0)\n" + kernel,
       {refused, "pass"}},
      {"a deep folder", "import os\nfor _ in range(3000):\n    os.mkdir('d')\n    os.chdir('d')\n", {refused}},
      {"removes its folder", "import os\nos.rmdir(os.getcwd())\n", {refused}},
      {"another compiler", "triton.compile = lambda *a, **k: None\n" + kernel, {refused}},
      {"ends by a signal", "import os, signal\nsignal.raise_signal(signal.SIGSEGV)\n", {refused}},
  };
  for (const auto& a : attacks) {
    CAPTURE(a.what);
    const auto mine = processes();
    const auto built = compiled(plan + a.source, "default", 12'000);
    const auto verdict_of = to_string(built.result);
    INFO(built.log.substr(0, 1500) << built.trouble.detail);
    CHECK_MESSAGE(std::count(a.expected.begin(), a.expected.end(), verdict_of) == 1, verdict_of);
    for (const auto& text : {built.log, built.artifact}) {
      CHECK_FALSE(contains(text, "kevolve-needle"));
      CHECK_FALSE(contains(text, "root:x:"));
    }
    CHECK(built.log.size() < (40U << 10U));
    CHECK_FALSE(std::filesystem::exists(mark));
    CHECK(processes() == mine);
  }
  ::unsetenv("KEVOLVE_TEST_KEY");
  // After all these, the honest source still gives the same bytes.
  CHECK(compiled(plan + kernel).artifact == before.artifact);
}

TEST_CASE("a prompt for Triton describes the plan, and a reply in it is parsed") {
  using namespace synthesis;
  synthesis_context c;
  c.task = rows_task();
  c.task.language = "pytorch";
  c.flag_menu = {"default"};
  c.baseline_flags = "default";
  c.form = triton_target{""}.form(c.task);
  prompt_facts f;
  f.campaign = &c;
  f.file_name = c.form.file;
  const auto first = build_prompt(f).value();
  CHECK(contains(first.system, "```python candidate.py"));
  CHECK(contains(first.system, "[[configuration]]"));
  for (const auto* word : {"libc", "Signature:", "__global__"})
    CHECK_MESSAGE(!contains(first.system, word), word);
  const auto read = parse_answer("summary: plain\n```python candidate.py\n" + example() + "```\n", first.rules);
  REQUIRE(read.has_value());
  CHECK(read->files.front().content == example());
  CHECK(parse_answer(example(), first.rules).has_value()); // the answer contains only the source
  CHECK_FALSE(parse_answer(example(), first.rules, true).has_value());
  CHECK_FALSE(parse_answer("summary: plain\n```python\nimport triton\n```\n", first.rules).has_value());
}

TEST_CASE("target triton has cuda's devices and another language") {
  ::setenv("CUDA_VISIBLE_DEVICES", "", 1);
  const triton_target t{""};
  ::unsetenv("CUDA_VISIBLE_DEVICES");
  CHECK(t.name() == "triton");
  CHECK(t.devices_of() == "cuda");
  CHECK(t.trust() == trust_tier::device_code);
  CHECK(t.languages() == std::vector<std::string>{"triton"});
  CHECK(t.reference_languages() == std::vector<std::string>{"pytorch"});
  CHECK(t.harness_fingerprint() == cuda_target{""}.harness_fingerprint());
  CHECK(t.toolchain_fingerprint({}) != cuda_target{""}.toolchain_fingerprint({}));
  const auto form = t.form(rows_task());
  CHECK(form.file == "candidate.py");
  CHECK(contains(form.signature, example()));
  CHECK(contains(form.signature, "y: pointer to f32; rows: i64"));
  CHECK_FALSE(contains(form.signature, "## "));
  std::vector<std::string> items;
  for (const auto& row : t.doctor())
    items.push_back(row.item);
  CHECK(std::count(items.begin(), items.end(), "triton") == 1);
  CHECK(std::count(items.begin(), items.end(), "nvcc") == 0);
}
