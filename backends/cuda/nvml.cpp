#include "backends/cuda/nvml.hpp"

#include "backends/cuda/dynamic_library.hpp"

#include <array>

namespace kevolve::cuda {

namespace {

constexpr int clock_sm = 1;
constexpr int clock_memory = 2;

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

device_weather management::read() const {
  device_weather out;
  call_->clock(device_, clock_sm, &out.sm_mhz);
  call_->clock(device_, clock_memory, &out.memory_mhz);
  call_->power(device_, &out.milliwatts);
  call_->temperature(device_, 0, &out.celsius);
  unsigned long long reasons = 0;
  call_->throttle(device_, &reasons);
  out.throttle_reasons = reasons;
  std::array<process_info, 64> found{};
  uint32_t count = found.size();
  if (call_->processes(device_, &count, found.data()) == 0)
    for (uint32_t i = 0; i < count && i < found.size(); ++i)
      out.processes.push_back(found[i].pid);
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
