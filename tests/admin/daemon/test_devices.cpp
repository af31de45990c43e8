// Tests the report of a GPU, from its runner's samples to the admin API, with the fake driver.
#include "tests/admin/daemon/program.hpp"
#include "tests/admin/raw_http.hpp"

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <string>

using nlohmann::json;
using namespace kevolve;

namespace {

// Sets the variables with which child processes find the fake driver.
class with_fake_gpu {
public:
  explicit with_fake_gpu(const char* folder) {
    ::setenv("LD_LIBRARY_PATH", folder, 1);
    ::setenv("KEVOLVE_CUPTI", "/none", 1);
    ::setenv("CUDA_VISIBLE_DEVICES", "0", 1);
  }
  with_fake_gpu(const with_fake_gpu&) = delete;
  with_fake_gpu& operator=(const with_fake_gpu&) = delete;
  ~with_fake_gpu() {
    ::unsetenv("LD_LIBRARY_PATH");
    ::unsetenv("KEVOLVE_CUPTI");
    ::unsetenv("CUDA_VISIBLE_DEVICES");
  }
};

std::string first_line(const std::string& path) {
  std::ifstream in{path};
  std::string out;
  std::getline(in, out);
  return out;
}

std::string get(const test::daemon_process& d, const std::string& path) {
  const auto url = json::parse(first_line(d.data() + "/admin.json")).at("url").get<std::string>();
  const auto port = url.substr(url.rfind(':') + 1);
  const auto answer = test::parse_answer(
      test::send_raw(static_cast<uint16_t>(std::stoul(port)),
                     "GET " + path + " HTTP/1.1\r\nHost: 127.0.0.1:" + port + "\r\nAuthorization: Bearer "
                         + first_line(d.data() + "/token") + "\r\nConnection: close\r\n\r\n"));
  REQUIRE_MESSAGE(answer.status == 200, path << ": " << answer.body);
  return answer.body;
}

constexpr int most_looks = 100; // at most a second apart

// Returns the listed device once its probe has passed. Checks after each watchdog message of the daemon.
json proved_device(test::daemon_process& d) {
  d.until("READY=1");
  for (int i = 0; i < most_looks; ++i, d.next()) {
    const auto list = json::parse(get(d, "/v1/resources"));
    for (const auto& r : list.at("items"))
      if (r.at("id") == "cuda:0" && r.at("up") == true)
        return r;
  }
  FAIL("the device does not prove itself");
  return {};
}

// Returns the device's samples once there are more than `total`.
json past_beyond(test::daemon_process& d, uint64_t total) {
  for (int i = 0; i < most_looks; ++i, d.next())
    if (auto past = json::parse(get(d, "/v1/resources/cuda:0/samples")); past.at("total").get<uint64_t>() > total)
      return past;
  FAIL("no sample is stored");
  return {};
}

} // namespace

TEST_CASE("a GPU's samples are shown everywhere, stored, and known after kill -9") {
  const auto* folder = std::getenv("KEVOLVE_FAKE_DRIVER");
  if (folder == nullptr) {
    MESSAGE("skipped: the runner does not run on a driver of our own in this build");
    return;
  }
  const with_fake_gpu gpu{folder};
  test::daemon_process d{"[[device]]\ntarget = \"cuda\"\n"};
  auto device = proved_device(d);
  CHECK(device.at("state") == "fit");
  const auto& sample = device.at("sample");
  CHECK(sample.at("clocks_mhz") == json{{"sm", 1'500}, {"memory", 2'600}});
  CHECK(sample.at("power_watts") == 123.456);
  CHECK(sample.at("temperature_celsius") == 41);
  CHECK(sample.at("throttled_by") == json::array({"sw_power_cap"}));
  CHECK(sample.at("foreign_processes") == 0);
  CHECK(sample.at("age_s").get<double>() >= 0.0);
  const auto figures = get(d, "/metrics");
  for (const auto* line : {"kevolve_device_temperature_celsius{device=\"cuda:0\"} 41\n",
                           "kevolve_device_power_watts{device=\"cuda:0\"} 123.456\n",
                           "kevolve_device_clock_hertz{device=\"cuda:0\",clock=\"sm\"} 1500000000\n",
                           "kevolve_device_state{device=\"cuda:0\",state=\"fit\"} 1\n"})
    CHECK_MESSAGE(figures.find(line) != std::string::npos, std::string{line});
  const auto statuses = json::parse(get(d, "/v1/actors?kind=device"));
  const auto id = std::to_string(statuses.at("items").at(0).at("id").get<uint64_t>());
  const auto own_status = test::run_program("kevolve", {"actors", "get", id, "--json", "--data", d.data()});
  CHECK_MESSAGE(own_status.code == 0, own_status.err);
  CHECK(json::parse(own_status.out).at("device").at("sample").at("temperature_celsius") == 41);

  const auto before = past_beyond(d, 0);
  const auto first = before.at("items").back().at("sample");
  CHECK(first.at("power_watts") == 123.456);
  d.kill_and_restart();
  device = proved_device(d);
  CHECK(device.at("sample").at("time") != first.at("time"));
  const auto after = past_beyond(d, before.at("total").get<uint64_t>());
  CHECK(after.at("items").back().at("sample") == first);
  const auto newest = json::parse(get(d, "/v1/resources/cuda:0/samples?limit=1"));
  CHECK(newest.at("items").at(0) == after.at("items").at(0));
  CHECK(newest.at("truncated") == true);
  const auto next = newest.at("next").get<std::string>();
  CHECK(json::parse(get(d, "/v1/resources/cuda:0/samples?limit=1&cursor=" + next)).at("items").at(0)
        == after.at("items").at(1));
}
