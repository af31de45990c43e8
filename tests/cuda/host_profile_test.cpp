// The profile passes that launch, on the fake driver: the time line by events, Nsight Compute's table through a script
// in its place, and the process that runs them. Needs no GPU.
#include "backends/profile/device_host.hpp"
#include "backends/profile/pass.hpp"
#include "runtime/base/program_directory.hpp"
#include "tests/cuda/runner_requests.hpp"

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include <filesystem>
#include <fstream>

using namespace kevolve;
using namespace kevolve::testing;
using nlohmann::json;

namespace {

class folder {
public:
  folder() { REQUIRE(mkdtemp(path.data()) != nullptr); }
  folder(const folder&) = delete;
  folder& operator=(const folder&) = delete;
  ~folder() { std::filesystem::remove_all(path); }
  std::string path = "/tmp/kevolve-pass-XXXXXX";
};

pass_request request(const folder& where, const std::string& kernel) {
  pass_request q;
  q.task = ask_for(fake_package(kernel), judge_mode::screening).task;
  q.target = "cuda";
  q.object = fake_package(kernel);
  q.folder = where.path;
  q.bin_dir = std::getenv("KEVOLVE_BIN");
  q.deadline = std::chrono::steady_clock::now() + std::chrono::seconds{60};
  return q;
}

// Writes a script in place of ncu, which runs the program after the options and writes the text where the log belongs.
void write_profiler(const std::string& path, const std::string& table) {
  std::ofstream out{path};
  out << "#!/bin/bash\nwhile [[ $1 == --* ]]; do\n  case $1 in\n    --csv) shift ;;\n    --log-file) log=$2; shift 2 "
         ";;\n"
         "    *) shift 2 ;;\n  esac\ndone\n\"$@\" || exit\ncat >\"$log\" <<'END'\n"
      << table << "\nEND\n";
  out.close();
  std::filesystem::permissions(path, std::filesystem::perms::owner_all);
}

class named_profiler {
public:
  explicit named_profiler(const std::string& path) { setenv("KEVOLVE_NCU", path.c_str(), 1); }
  named_profiler(const named_profiler&) = delete;
  named_profiler& operator=(const named_profiler&) = delete;
  ~named_profiler() { unsetenv("KEVOLVE_NCU"); }
};

} // namespace

TEST_CASE("the time line has each kernel of the call, and the empty launches beside it") {
  const with_fake_driver fake;
  const folder where;
  const auto& pass = *find_pass("gpu.timeline");
  const auto made = pass.run(request(where, "iterate"));
  REQUIRE_MESSAGE(made.has_value(), to_string(made.error()));
  REQUIRE_MESSAGE(made->skipped.empty(), made->skipped);
  const auto trace = json::parse(made->made.at(artefact_kind::device_trace));
  CHECK(trace["source"] == "events");
  CHECK(trace["launches"] == 1);
  REQUIRE(trace["kernels"].size() == 1);
  CHECK(trace["kernels"][0]["kernel"] == "iterate");
  // The fake kernel takes a millisecond of virtual time, a launch a microsecond.
  CHECK(trace["kernels"][0]["ns"].get<double>() == doctest::Approx(1.001e6).epsilon(0.001));
  CHECK(trace["call_ns"].get<double>() == doctest::Approx(1.001e6).epsilon(0.001));
  CHECK(trace["empty_ns"].get<double>() < 0.01 * trace["call_ns"].get<double>());
}

TEST_CASE("a call that faults skips the pass with the device's error, and is no verdict") {
  const with_fake_driver fake;
  const folder where;
  const auto made = find_pass("gpu.timeline")->run(request(where, "iterate_faults"));
  REQUIRE(made.has_value());
  CHECK_MESSAGE(made->skipped.find("call: ") != std::string::npos, made->skipped);
  CHECK(made->made.empty());
}

TEST_CASE("Nsight Compute counts a call on request, and a lack of permission names its remedy") {
  const with_fake_driver fake;
  const folder where;
  const auto ncu = where.path + "/ncu";
  const named_profiler named{ncu};
  write_profiler(
      ncu, "\"ID\",\"Kernel Name\",\"lts__lts2xbar_cycles_active.avg.pct_of_peak_sustained_elapsed\"\n\"\",\"\",\"%\"\n"
           "\"0\",\"iterate\",\"42.5\"");
  auto made = find_pass("gpu.ncu")->run(request(where, "iterate"));
  REQUIRE_MESSAGE(made.has_value(), to_string(made.error()));
  REQUIRE_MESSAGE(made->skipped.empty(), made->skipped);
  CHECK(json::parse(made->made.at(artefact_kind::profile))
        == json::parse(R"([{"kernel":"iterate","l2_percent":42.5}])"));
  // The call was made: the runner's process says so.
  std::ifstream progress{where.path + "/order.progress"};
  const std::string said{std::istreambuf_iterator<char>{progress}, {}};
  CHECK_MESSAGE(said.find("done\nend\n") != std::string::npos, said);

  write_profiler(ncu, "==ERROR== ERR_NVGPUCTRPERM - The user does not have permission");
  made = find_pass("gpu.ncu")->run(request(where, "iterate"));
  REQUIRE(made.has_value());
  CHECK(made->skipped.find("ERR_NVGPUCTRPERM") != std::string::npos);
  CHECK(made->remedy.find("NVreg_RestrictProfilingToAdminUsers=0") != std::string::npos);
}

TEST_CASE("the static passes name occupancy by the build, without a device") {
  const folder where;
  auto q = request(where, "iterate");
  q.have[artefact_kind::evidence] = R"({"multiprocessors":132})";
  const auto made = find_pass("gpu.occupancy")->run(q);
  REQUIRE_MESSAGE(made.has_value(), to_string(made.error()));
  const auto rows = json::parse(made->made.at(artefact_kind::resources));
  REQUIRE(rows.size() == 1);
  CHECK(rows[0]["kernel"] == "iterate");
  CHECK(rows[0]["block"] == json::array({256, 1, 1}));
}

TEST_CASE("a program on the device is ended with its group when its time is over, also from the child process") {
  const folder where;
  device_command command;
  command.argv = {"/bin/sh", "-c", "echo started; sleep 1000 & wait"};
  command.directory = where.path;
  command.limit_ms = 300;
  const auto direct = run_on_device(command);
  REQUIRE(direct.has_value());
  CHECK(direct->timed_out);
  REQUIRE(start_device_host().has_value());
  const auto hosted = run_on_device(command);
  REQUIRE(hosted.has_value());
  CHECK(hosted->timed_out);
  command.argv = {"/bin/sh", "-c", "exit 7"};
  command.limit_ms = 60'000;
  const auto ended = run_on_device(command);
  REQUIRE(ended.has_value());
  CHECK(ended->status == 7);
  CHECK_FALSE(ended->timed_out);
  command.argv = {"/none"};
  CHECK_FALSE(run_on_device(command).has_value());
}
