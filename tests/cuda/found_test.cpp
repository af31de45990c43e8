// Tests the target `cuda` with devices, with a fake management library and a fake driver.
#include "backends/cuda/cuda_target.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdlib>

using namespace kevolve;

namespace {

std::string bin_dir() {
  ::unsetenv("CUDA_VISIBLE_DEVICES"); // makes both devices visible
  const auto* bin = std::getenv("KEVOLVE_BIN");
  return bin == nullptr ? "" : bin;
}

std::string word_after(const helper_command& command, const std::string& option) {
  const auto at = std::find(command.argv.begin(), command.argv.end(), option);
  return at == command.argv.end() ? "" : *std::next(at);
}

} // namespace

TEST_CASE("each device has runners and compilers with cores of their own") {
  const cuda_target t{bin_dir(), {0, 1, 2, 3}};
  const auto devices = t.devices();
  REQUIRE(devices.size() == 2);
  CHECK(devices[0].id == "cuda:0");
  CHECK(devices[1].id == "cuda:1");
  CHECK(devices[0].cores == std::vector<int>{0});
  CHECK(devices[1].cores == std::vector<int>{1});
  CHECK(t.compile_server().cores == std::vector<int>{2, 3});
  CHECK(word_after(t.compile_server(), "--architecture") == "sm_90a");
  CHECK(word_after(t.judge(devices[1]), "--device") == "1");
  CHECK(t.judge(devices[1]).environment.count("LD_LIBRARY_PATH") == 1);
  CHECK(t.device_fingerprint(devices[0]) != t.device_fingerprint(devices[1]));
  CHECK(t.about().front().second == "Paper 0; Paper 1, driver 999.1");
}

TEST_CASE("the driver is asked about the device in a separate process") {
  auto facts = cuda_target{bin_dir()}.hardware();
  CHECK(facts["memory"] == int64_t{1} << 32);
  CHECK(facts["multiprocessors"] == 4);
  CHECK(facts["cache.l2"] == 1 << 20);
  CHECK(facts["shared.block"] == 232'448);
  CHECK(facts["compute_capability"] == 90);
  CHECK(facts.count("clock.sm_hz") == 0);                            // unknown
  CHECK(cuda_target{bin_dir() + "/nowhere"}.hardware().size() == 1); // only the fact from the management library
}

TEST_CASE("doctor names the devices, and reports only missing parts as missing") {
  const cuda_target t{bin_dir()};
  const auto rows = t.doctor();
  for (const auto* item : {"NVIDIA driver", "NVML", "cuda:0", "cuda:1"}) {
    const auto row = std::find_if(rows.begin(), rows.end(), [&](const auto& r) { return r.item == item; });
    REQUIRE_MESSAGE(row != rows.end(), item);
    CHECK_MESSAGE(row->state == doctor_row::state::ok, row->detail);
  }
  CHECK(t.missing_requirements().find("GPU") == std::string::npos);
}
