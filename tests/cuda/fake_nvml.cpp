// A fake management library with two devices. KEVOLVE_FAKE_NVML=silent reports nothing about their state; crowded
// reports more processes than any caller has room for.
#include <cstdio>
#include <cstdlib>
#include <string>

namespace {

const int devices[]{0, 1};
int started = 0;

constexpr int not_supported = 3;
constexpr int insufficient_size = 7;

bool is(const char* what) {
  const auto* text = std::getenv("KEVOLVE_FAKE_NVML");
  return text != nullptr && std::string{text} == what;
}

template <class T>
int tell(T* out, T value) {
  if (is("silent"))
    return not_supported;
  *out = value;
  return 0;
}

int index_of(const void* device) {
  return *static_cast<const int*>(device);
}

} // namespace

extern "C" {

struct memory_info {
  unsigned long long total;
  unsigned long long free;
  unsigned long long used;
};

int nvmlInit_v2() {
  ++started;
  return 0;
}
int nvmlShutdown() {
  --started;
  return 0;
}
int nvmlDeviceGetCount_v2(unsigned* out) {
  *out = 2;
  return started == 1 ? 0 : 1;
}
int nvmlDeviceGetHandleByIndex_v2(unsigned index, const void** out) {
  *out = &devices[index];
  return 0;
}
int nvmlDeviceGetName(const void* device, char* out, unsigned size) {
  std::snprintf(out, size, "Paper %d", index_of(device));
  return 0;
}
int nvmlDeviceGetUUID(const void* device, char* out, unsigned size) {
  std::snprintf(out, size, "GPU-%d%d", index_of(device), index_of(device));
  return 0;
}
int nvmlDeviceGetCudaComputeCapability(const void*, int* major, int* minor) {
  *major = 9;
  *minor = 0;
  return 0;
}
int nvmlDeviceGetMemoryInfo(const void*, memory_info* out) {
  *out = {1ULL << 32U, 1ULL << 32U, 0};
  return 0;
}
int nvmlSystemGetDriverVersion(char* out, unsigned size) {
  std::snprintf(out, size, "999.1");
  return 0;
}
int nvmlSystemGetCudaDriverVersion_v2(int* out) {
  *out = 12'080;
  return 0;
}
int nvmlDeviceGetHandleByPciBusId_v2(const char*, const void** out) {
  *out = &devices[0];
  return 0;
}
int nvmlDeviceGetClockInfo(const void*, int kind, unsigned* out) {
  return tell(out, kind == 1 ? 1'500U : 2'600U);
}
int nvmlDeviceGetMaxClockInfo(const void*, int, unsigned*) {
  return not_supported;
}
int nvmlDeviceGetPowerUsage(const void*, unsigned* out) {
  return tell(out, 123'456U);
}
int nvmlDeviceGetTemperature(const void*, int, unsigned* out) {
  return tell(out, 41U);
}
int nvmlDeviceGetCurrentClocksThrottleReasons(const void*, unsigned long long* out) {
  return tell(out, 0x4ULL);
}
int nvmlDeviceGetComputeRunningProcesses_v3(const void*, unsigned* count, void*) {
  const auto room = *count;
  const auto status = tell(count, is("crowded") ? room + 36 : 0U);
  return is("crowded") ? insufficient_size : status;
}
}
