#include "backends/nvidia/gpus.hpp"

#include "backends/nvidia/dynamic_library.hpp"

#include <array>
#include <charconv>
#include <cstdlib>
#include <sstream>

namespace kevolve::cuda {

namespace {

struct memory_info { // nvmlMemory_t
  unsigned long long total;
  unsigned long long free;
  unsigned long long used;
};

struct functions {
  int (*init)() = nullptr;
  int (*shutdown)() = nullptr;
  int (*count)(uint32_t* out) = nullptr;
  int (*by_index)(uint32_t index, void** out) = nullptr;
  int (*name)(void* device, char* out, uint32_t size) = nullptr;
  int (*uuid)(void* device, char* out, uint32_t size) = nullptr;
  int (*capability)(void* device, int* major, int* minor) = nullptr;
  int (*memory)(void* device, memory_info* out) = nullptr;
  int (*driver_version)(char* out, uint32_t size) = nullptr;
  int (*cuda_version)(int* out) = nullptr;
};

gpu describe(const functions& call, void* device) {
  gpu out;
  std::array<char, 96> text{};
  if (call.name(device, text.data(), text.size()) == 0)
    out.name = text.data();
  if (call.uuid(device, text.data(), text.size()) == 0)
    out.uuid = text.data();
  int major = 0;
  int minor = 0;
  if (call.capability(device, &major, &minor) == 0)
    out.capability = static_cast<uint32_t>(10 * major + minor);
  memory_info memory{};
  if (call.memory(device, &memory) == 0)
    out.memory_bytes = memory.total;
  return out;
}

std::vector<gpu> only(const std::vector<gpu>& all, const char* visible) {
  if (visible == nullptr)
    return all;
  std::vector<gpu> out;
  for (auto i : visible_gpus(visible, all))
    out.push_back(all[i]);
  return out;
}

} // namespace

result<gpu_list> list_gpus() {
  dynamic_library library{"libnvidia-ml.so.1"};
  if (!library)
    return fail(errc::unsupported, "libnvidia-ml.so.1 is not found (" + library.why() + ")");
  functions call;
  library.find(call.init, "nvmlInit_v2");
  library.find(call.shutdown, "nvmlShutdown");
  library.find(call.count, "nvmlDeviceGetCount_v2");
  library.find(call.by_index, "nvmlDeviceGetHandleByIndex_v2");
  library.find(call.name, "nvmlDeviceGetName");
  library.find(call.uuid, "nvmlDeviceGetUUID");
  library.find(call.capability, "nvmlDeviceGetCudaComputeCapability");
  library.find(call.memory, "nvmlDeviceGetMemoryInfo");
  library.find(call.driver_version, "nvmlSystemGetDriverVersion");
  library.find(call.cuda_version, "nvmlSystemGetCudaDriverVersion_v2");
  if (!library.missing().empty())
    return fail(errc::unsupported, "libnvidia-ml.so.1 has no " + library.missing());
  if (const auto s = call.init(); s != 0)
    return fail(errc::unsupported, "libnvidia-ml.so.1 does not start, error " + std::to_string(s)
                                       + ": is the kernel's part of the driver loaded?");
  gpu_list out;
  std::array<char, 96> text{};
  if (call.driver_version(text.data(), text.size()) == 0)
    out.driver = text.data();
  if (int version = 0; call.cuda_version(&version) == 0)
    out.cuda = std::to_string(version / 1000) + "." + std::to_string(version % 1000 / 10);
  uint32_t count = 0;
  call.count(&count);
  std::vector<gpu> all;
  for (uint32_t i = 0; i < count; ++i)
    if (void* device = nullptr; call.by_index(i, &device) == 0)
      all.push_back(describe(call, device));
  call.shutdown();
  out.all = only(all, std::getenv("CUDA_VISIBLE_DEVICES"));
  return out;
}

std::vector<size_t> visible_gpus(const std::string& value, const std::vector<gpu>& all) {
  std::vector<size_t> out;
  std::istringstream words{value};
  for (std::string word; std::getline(words, word, ',');) {
    size_t index = all.size();
    const auto* end = word.data() + word.size();
    if (word.starts_with("GPU-")) {
      for (index = 0; index < all.size() && !all[index].uuid.starts_with(word);)
        ++index;
    } else if (const auto got = std::from_chars(word.data(), end, index); got.ec != std::errc{} || got.ptr != end)
      break;
    if (index >= all.size())
      break;
    out.push_back(index);
  }
  return out;
}

} // namespace kevolve::cuda
