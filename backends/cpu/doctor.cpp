#include "backends/cpu/doctor.hpp"

#include "backends/capture.hpp"
#include "backends/cpu/performance_unit.hpp"
#include "backends/judge/core_turn.hpp"
#include "runtime/base/sandbox.hpp"

#include <fmt/format.h>

#include <sys/statvfs.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>

namespace kevolve {

namespace {

using state = enum doctor_row::state; // the member of the same name hides the type
namespace fs = std::filesystem;

constexpr double gib = 1024.0 * 1024.0 * 1024.0;

void examine_toolchain(const toolchain& tools, std::vector<doctor_row>& rows) {
  auto row = [&](const char* item, const std::string& path, const std::string& version, state if_missing,
                 const char* without, const char* remedy) {
    auto found = !path.empty();
    rows.push_back(
        {item, found ? state::ok : if_missing, found ? path + ": " + version : without, found ? "" : remedy});
  };
  row("clang-19", tools.clang, tools.clang_version, tools.gcc.empty() ? state::missing : state::weaker,
      "g++ stands in; no syntax trees, so no moves on loops; cpu.loops, cpu.remarks, cpu.ports, cpu.counters, "
      "cpu.experiments, cpu.exact_counts and cpu.diagnosis are skipped",
      "apt-get install clang-19");
  row("g++", tools.gcc, tools.gcc_version, state::weaker, "its flag sets are off the menu", "apt-get install g++");
  row("ld.bfd", tools.linker, tools.linker_version, state::missing, "nothing can be linked",
      "apt-get install binutils");
  build_variant vectors{tools.clang.empty() ? compiler_family::gcc : compiler_family::clang, {"-O3"}, "c"};
  auto links = [](const result<build_commands>& c, const char* library) {
    if (c)
      for (const auto& word : c->link)
        if (word.find(library) != std::string::npos)
          return word;
    return std::string{};
  };
  auto mvec = links(resolve_commands(tools, vectors), "libmvec");
  rows.push_back({"libmvec", mvec.empty() ? state::weaker : state::ok, mvec.empty() ? "no vectorised libm calls" : mvec,
                  mvec.empty() ? "apt-get install libc6-dev" : ""});
  vectors.threads = true;
  auto threads = resolve_commands(tools, vectors);
  rows.push_back(
      {"OpenMP", threads ? state::ok : state::weaker,
       threads ? links(threads, "omp.so") : "tasks with threads cannot be compiled: " + threads.error().detail,
       threads ? "" : "apt-get install libomp-19-dev"});
}

void examine_programs(const std::string& bin_dir, std::vector<doctor_row>& rows) {
  for (const auto* program : {"kevolve-compile-server", "kevolve-judge", "kevolve-zygote"}) {
    auto path = bin_dir + "/" + program;
    auto found = ::access(path.c_str(), X_OK) == 0;
    rows.push_back({program, found ? state::ok : state::missing, found ? path : path + " is not there",
                    found ? "" : "build all targets: cmake --build --preset release"});
  }
  const auto replay = bin_dir + "/kevolve-sanitised-replay";
  const auto built = ::access(replay.c_str(), X_OK) == 0;
  rows.push_back({"sanitised replay", built ? state::ok : state::weaker,
                  built ? replay : replay + " is not there: the best candidates are marked unsanitised",
                  built ? "" : "apt-get install libclang-rt-19-dev, then build all targets"});
}

// Adds a row per tool of the profile passes.
void examine_profilers(const std::string& bin_dir, std::vector<doctor_row>& rows) {
  struct tool {
    const char* item;
    std::string path;
    const char* without;
    const char* remedy;
  };
  const auto probes = bin_dir + "/kevolve-loop-probes.so";
  const auto profiler = bin_dir + "/kevolve-profiler";
  const auto model = find_program("llvm-mca-19");
  const tool tools[]{
      {"profiler", ::access(profiler.c_str(), X_OK) == 0 ? profiler : "", "no candidate is profiled",
       "build all targets: cmake --build --preset release"},
      {"loop probes", ::access(probes.c_str(), R_OK) == 0 ? probes : "",
       "no trip counts and times of loops: cpu.loops is skipped, and with it cpu.diagnosis",
       "apt-get install llvm-19-dev, then build all targets"},
      {"llvm-mca", model.empty() ? find_program("llvm-mca") : model,
       "no model of the hottest loop: cpu.ports is skipped", "apt-get install llvm-19"},
      {"valgrind", find_program("valgrind"), "no exact counts: cpu.exact_counts is skipped",
       "apt-get install valgrind"},
  };
  for (const auto& t : tools) {
    const bool found = !t.path.empty();
    rows.push_back({t.item, found ? state::ok : state::weaker, found ? t.path : t.without, found ? "" : t.remedy});
  }
}

// Adds a row per sandbox layer: the layers in force for the caller's candidates, and remedies for missing ones.
void examine_sandbox(std::vector<doctor_row>& rows) {
  auto support = detect_sandbox();
  rows.push_back({"sandbox", support.seccomp ? state::ok : state::missing, support.level,
                  support.seccomp ? "" : support.missing["seccomp"].remedy});
  struct layer {
    const char* item;
    std::string name;
    const char* gives;
  };
  const layer layers[]{
      {"Landlock", "landlock", "no file beyond the listed ones"},
      {"control group", "cgroup", "memory and processes limited for all together"},
      {"mount namespace", "mntns", "every file system read-only"},
      {"pid namespace", "pidns", "no other process can be named"},
      {"network namespace", "netns", "no network, not even loopback"},
      {"ipc namespace", "ipcns", "no shared memory, queues or semaphores of others"},
      {"own user id", "uid" + std::to_string(candidate_uid), "nothing that belongs to the node's user"},
  };
  for (const auto& l : layers) {
    auto lack = support.missing.find(l.name);
    if (lack == support.missing.end()) {
      auto detail = l.name == "landlock" ? "ABI " + std::to_string(support.landlock_abi) + ": " + l.gives : l.gives;
      rows.push_back({l.item, state::ok, detail, ""});
      continue;
    }
    // Without Landlock, native candidates are judged only if the operator allows it.
    auto needed = l.name == "landlock";
    rows.push_back(
        {l.item, needed ? state::missing : state::weaker,
         lack->second.why + (needed ? "; native candidates are refused without --allow-weak-sandbox landlock" : ""),
         lack->second.remedy});
  }
}

// Adds a row for the hardware counters, and one for the breakdown of the pipeline's slots.
void examine_counters(int core, std::vector<doctor_row>& rows) {
  const auto obstacle = counters_obstacle();
  rows.push_back({"counters", obstacle.empty() ? state::ok : state::weaker,
                  obstacle.empty()
                      ? "hardware counters readable"
                      : "no counts of cycles, caches and branches, and cpu.counters is skipped: " + obstacle,
                  obstacle.empty() ? "" : counters_remedy()});
  const auto top_down = top_down_of(performance_unit_of(core));
  const auto missing = obstacle.empty() ? top_down.missing : obstacle;
  rows.push_back({"top-down", missing.empty() ? state::ok : state::weaker,
                  missing.empty() ? std::to_string(top_down.events.size()) + " events of the pipeline's slots"
                                  : "no shares of front end, back end and wrong predictions: " + missing,
                  missing.empty()    ? ""
                  : obstacle.empty() ? "a processor that counts them"
                                     : counters_remedy()});
}

void examine_processor(const cpu_examination& subject, std::vector<doctor_row>& rows) {
  auto facts = hardware_facts(subject.plan.timing, subject.cores.size());
  rows.push_back(
      {"processor", state::ok,
       fmt::format("{}, {} cores, vectors of {} bits, L1d {} KiB, L2 {} KiB, L3 {} KiB",
                   processor_field(subject.plan.timing, "model name"), subject.cores.size(), facts["vector_bits"],
                   facts["cache.l1d"] >> 10, facts["cache.l2"] >> 10, facts["cache.l3"] >> 10),
       ""});
  auto shared = subject.cores.size() < 2;
  rows.push_back({"timing core", shared ? state::weaker : state::ok,
                  fmt::format("core {}{}", subject.plan.timing, shared ? ", shared with compilers in turn" : ""),
                  shared ? "two cores or more" : ""});
  auto holder = holder_of(subject.plan.timing);
  rows.push_back({"turn at the core", holder ? state::weaker : state::ok, holder ? describe(holder) : "free",
                  holder ? "wait for it to end; two at once take turns, and both get slower" : ""});
  auto steal = steal_percent();
  rows.push_back({"steal", steal > 2.0 ? state::weaker : state::ok,
                  steal < 0 ? "unknown" : fmt::format("{:.1f} % of all time since boot went to other guests", steal),
                  steal > 2.0 ? "a less crowded host; results stay honest, they take more pairs" : ""});
  auto pages = read_line("/sys/kernel/mm/transparent_hugepage/enabled");
  auto none = pages.find("[never]") != std::string::npos || pages.empty();
  rows.push_back({"huge pages", none ? state::weaker : state::ok, pages.empty() ? "unknown" : pages,
                  none ? "echo madvise > /sys/kernel/mm/transparent_hugepage/enabled" : ""});
  examine_counters(subject.plan.timing, rows);
}

void examine_space(const std::string& item, const std::string& folder, double enough_gib,
                   std::vector<doctor_row>& rows) {
  auto existing = fs::path{folder};
  std::error_code ec;
  while (!fs::exists(existing, ec) && existing.has_relative_path())
    existing = existing.parent_path();
  struct statvfs st{};
  if (::statvfs(existing.c_str(), &st) != 0) {
    rows.push_back({item, state::missing, folder + " is not there", "mount it"});
    return;
  }
  auto free = static_cast<double>(st.f_bavail) * static_cast<double>(st.f_frsize) / gib;
  rows.push_back({item, free < enough_gib ? state::weaker : state::ok,
                  fmt::format("{:.1f} GiB free in {}", free, folder),
                  free < enough_gib ? fmt::format("free {:.1f} GiB there", enough_gib) : ""});
}

} // namespace

std::vector<doctor_row> examine_cpu(const cpu_examination& subject) {
  std::vector<doctor_row> rows;
  examine_toolchain(*subject.tools, rows);
  examine_programs(subject.bin_dir, rows);
  examine_profilers(subject.bin_dir, rows);
  examine_sandbox(rows);
  examine_processor(subject, rows);
  const char* temporary = std::getenv("TMPDIR");
  const std::string where = temporary == nullptr ? "/tmp" : temporary;
  if (std::error_code ec; fs::is_directory(where, ec)) // nobody creates it, so it must exist
    examine_space("temporary files", where, 0.5, rows);
  else
    rows.push_back(
        {"temporary files", state::missing, where + " is not there", "make it, or have TMPDIR name another"});
  examine_space("header cache", subject.cache, 0.2, rows);
  examine_space("shared memory", "/dev/shm", 0.5, rows);
  return rows;
}

} // namespace kevolve
