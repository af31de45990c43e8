// A management library that knows two devices.
#include <cstdio>

namespace {

const int devices[]{0, 1};
int started = 0;

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
}
