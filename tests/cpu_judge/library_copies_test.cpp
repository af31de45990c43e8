// The copies of the libraries that the two processes of a screening have.
#include "backends/judge/native/sandboxed_process.hpp"
#include "backends/judge/native/zygote_client.hpp"
#include "backends/judge/shared_arena.hpp"
#include "tests/support/judge_driver.hpp"
#include "tests/support/judge_tasks.hpp"

#include <doctest/doctest.h>

#include <cstdlib>
#include <fstream>
#include <map>
#include <set>
#include <sstream>

using namespace kevolve;

namespace {

// Returns the inodes of a process's executable mappings, by file.
std::map<std::string, std::set<std::string>> code_of(pid_t pid) {
  std::map<std::string, std::set<std::string>> out;
  std::ifstream file{"/proc/" + std::to_string(pid) + "/maps"};
  for (std::string line; std::getline(file, line);) {
    std::istringstream words{line};
    std::string range, rights, offset, device, inode, path;
    words >> range >> rights >> offset >> device >> inode >> path;
    if (rights.find('x') != std::string::npos)
      out[path].insert(inode);
  }
  return out;
}

bool has(const std::map<std::string, std::set<std::string>>& code, const std::string& part) {
  for (const auto& [path, inodes] : code)
    if (path.find(part) != std::string::npos)
      return true;
  return false;
}

} // namespace

TEST_CASE("candidate and baseline run on separate copies of the libraries") {
  const auto object = object_file::create(compile_c("#include <math.h>\n#include <stdint.h>\n"
                                                    "void poly(const float *x, const float *w, float *y, int64_t n) {\n"
                                                    "  for (int64_t i = 0; i < n; ++i)\n"
                                                    "    y[i] = powf(x[i], w[i % 8]);\n}\n"));
  REQUIRE(object);
  for (const bool threads : {false, true}) {
    CAPTURE(threads);
    auto task = poly_task();
    task.threads = threads;
    zygote_client zygote{std::string{std::getenv("KEVOLVE_BIN")} + "/kevolve-zygote", {0}};
    REQUIRE(zygote.start());
    shared_arena arena;
    REQUIRE(arena.prepare(size_t{1} << 20U));
    std::map<std::string, std::set<std::string>> code[2];
    sandboxed_process both[2];
    for (int slot = 0; slot < 2; ++slot) {
      launch_options options;
      options.task = &task;
      options.slot = slot;
      options.memory_bytes = uint64_t{2} << 30U;
      options.cores = {0};
      std::optional<rejection> refused;
      auto process = sandboxed_process::launch(zygote, arena, *object, options, refused);
      REQUIRE_MESSAGE(process, (process ? "" : to_string(process.error())));
      REQUIRE_MESSAGE(!refused, (refused ? refused->detail : ""));
      both[slot] = std::move(*process);
      code[slot] = code_of(both[slot].pid());
      for (const auto* library : {"/libm.", "/libmvec.", "/libc.", "/libstdc++.", "/libgcc_s.", "/libgomp."})
        CHECK_MESSAGE(!has(code[slot], library), library);
    }
    const auto& first = code[0].at("/memfd:kevolve-libraries");
    const auto& second = code[1].at("/memfd:kevolve-libraries");
    CHECK(first.size() == 1);
    CHECK(second.size() == 1);
    CHECK(first != second);
  }
}
