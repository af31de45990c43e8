#include "backends/nvidia/nvml.hpp"

#include "backends/nvidia/dynamic_library.hpp"

#include <algorithm>
#include <array>

namespace kevolve::cuda {

namespace {

constexpr int clock_sm = 1;
constexpr int clock_memory = 2;
constexpr int no_error = 0;
constexpr int too_many = 7; // NVML_ERROR_INSUFFICIENT_SIZE; the count is set nevertheless

struct reason {
  uint64_t bit;
  const char* name;
};
// nvmlClocksEventReason* by name, without idling and settings of the operator.
constexpr std::array<reason, 6> reasons_known{{{0x08, "hw_slowdown"},
                                               {0x80, "hw_power_brake_slowdown"},
                                               {0x40, "hw_thermal_slowdown"},
                                               {0x04, "sw_power_cap"},
                                               {0x20, "sw_thermal_slowdown"},
                                               {0x10, "sync_boost"}}};
constexpr uint64_t harmless_reasons = 0x01 | 0x02 | 0x100; // idle, and clock settings of applications and displays

struct process_info { // nvmlProcessInfo_t of the _v3 calls
  uint32_t pid;
  uint64_t memory;
  uint32_t instance;
  uint32_t compute_instance;
};

} // namespace

struct management::functions {
  int (*init)() = nullptr;
  int (*by_pci)(const char* pci, void** out) = nullptr;
  int (*clock)(void* device, int kind, uint32_t* out) = nullptr;
  int (*most_clock)(void* device, int kind, uint32_t* out) = nullptr;
  int (*power)(void* device, uint32_t* out) = nullptr;
  int (*temperature)(void* device, int sensor, uint32_t* out) = nullptr;
  int (*throttle)(void* device, unsigned long long* out) = nullptr;
  int (*processes)(void* device, uint32_t* count, process_info* out) = nullptr;
  int (*version)(char* out, uint32_t size) = nullptr;
  std::string trouble;

  functions() {
    dynamic_library library{"libnvidia-ml.so.1"};
    library.find(init, "nvmlInit_v2");
    library.find(by_pci, "nvmlDeviceGetHandleByPciBusId_v2");
    library.find(clock, "nvmlDeviceGetClockInfo");
    library.find(most_clock, "nvmlDeviceGetMaxClockInfo");
    library.find(power, "nvmlDeviceGetPowerUsage");
    library.find(temperature, "nvmlDeviceGetTemperature");
    library.find(throttle, "nvmlDeviceGetCurrentClocksThrottleReasons");
    library.find(processes, "nvmlDeviceGetComputeRunningProcesses_v3");
    library.find(version, "nvmlSystemGetDriverVersion");
    if (!library)
      trouble = "libnvidia-ml.so.1 is not found (" + library.why() + "): it comes with the NVIDIA driver";
    else if (!library.missing().empty())
      trouble = "libnvidia-ml.so.1 has no " + library.missing();
    else if (init() != 0)
      trouble = "libnvidia-ml.so.1 does not start";
  }
};

result<management> management::open(const std::string& pci) {
  static const functions table;
  if (!table.trouble.empty())
    return fail(errc::unsupported, table.trouble);
  management out;
  out.call_ = &table;
  if (table.by_pci(pci.c_str(), &out.device_) != 0)
    return fail(errc::unsupported, "libnvidia-ml.so.1 knows no device at " + pci);
  return out;
}

device_noise management::read() const {
  device_noise out;
  const auto told = [](int status, auto value) { return status == no_error ? std::optional{value} : std::nullopt; };
  uint32_t x = 0;
  int status = call_->clock(device_, clock_sm, &x);
  out.sm_mhz = told(status, x);
  status = call_->clock(device_, clock_memory, &x);
  out.memory_mhz = told(status, x);
  status = call_->power(device_, &x);
  out.milliwatts = told(status, x);
  status = call_->temperature(device_, 0, &x);
  out.celsius = told(status, x);
  unsigned long long reasons = 0;
  status = call_->throttle(device_, &reasons);
  out.throttle_reasons = told(status, uint64_t{reasons});
  std::array<process_info, 64> found{};
  x = found.size();
  status = call_->processes(device_, &x, found.data());
  out.processes = told(status == too_many ? no_error : status, x);
  return out;
}

std::vector<std::string> throttle_names(uint64_t reasons) {
  std::vector<std::string> out;
  for (const auto& r : reasons_known) {
    if ((reasons & r.bit) != 0)
      out.emplace_back(r.name);
    reasons &= ~r.bit;
  }
  if ((reasons & ~harmless_reasons) != 0)
    out.emplace_back("other");
  std::sort(out.begin(), out.end());
  return out;
}

device_sample to_sample(const device_noise& w, size_t ours, int64_t time_ns) {
  device_sample out;
  out.time_ns = time_ns;
  if (w.sm_mhz)
    out.clocks_mhz["sm"] = *w.sm_mhz;
  if (w.memory_mhz)
    out.clocks_mhz["memory"] = *w.memory_mhz;
  out.milliwatts = w.milliwatts;
  if (w.celsius)
    out.celsius = static_cast<int32_t>(*w.celsius);
  if (w.throttle_reasons)
    out.throttled_by = throttle_names(*w.throttle_reasons);
  if (w.processes)
    out.foreign_processes = *w.processes > ours ? *w.processes - static_cast<uint32_t>(ours) : 0;
  return out;
}

std::string management::driver_version() const {
  std::array<char, 96> text{};
  return call_->version(text.data(), text.size()) == 0 ? std::string{text.data()} : std::string{"unknown"};
}

uint32_t management::most_sm_mhz() const {
  uint32_t out = 0;
  call_->most_clock(device_, clock_sm, &out);
  return out;
}

} // namespace kevolve::cuda
