// A libcuda.so.1 whose device is the host, for tests of the runner without a GPU. Kernels are known by name and run
// synchronously. Time is virtual and passes only in kernels, so that screenings are reproducible. The suffix of a
// kernel's name selects its misbehaviour.
#include "backends/nvidia/driver.hpp"
#include "backends/nvidia/examiner/draws.hpp"
#include "backends/nvidia/examiner/loops.hpp"

#include <dlfcn.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/types.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <map>
#include <string>
#include <utility>

namespace {

struct fake_module {
  unsigned launches = 0; // like a counter in device memory, it lives as long as the module
};
struct fake_function {
  std::string name;
  fake_module* home = nullptr;
};
struct fake_event {
  double at_ns = 0.0;
};
struct fake_launch {
  uint32_t grid[3];
  uint32_t block[3];
  uint32_t shared;
};

double now_ns = 0.0;
int sticky = 0; // an error that destroys the context
int pushed = 0; // contexts that this process has made current and not given back
int capture_mode = 0;

// Returns whether CUDA_VISIBLE_DEVICES selects this behaviour.
bool is(const char* what) {
  const auto* text = std::getenv("CUDA_VISIBLE_DEVICES");
  return text != nullptr && std::string{text} == what;
}
bool sick() {
  return is("sick");
}

bool ends(const std::string& name, const char* with) {
  return name.ends_with(with);
}

template <class T>
T* pointer(void* parameter) {
  uint64_t address = 0;
  std::memcpy(&address, parameter, sizeof address);
  return reinterpret_cast<T*>(address);
}

void spin(std::chrono::milliseconds how_long) {
  const auto end = std::chrono::steady_clock::now() + how_long;
  while (std::chrono::steady_clock::now() < end) {
  }
}

// On a crowded device, making a context takes time, and a concurrent kernel loses the device for a while. A process
// that makes one locks this library's file, which every process can read.
int hold_own_file(int how) {
  Dl_info self{};
  if (dladdr(&now_ns, &self) == 0)
    return -1;
  const int fd = open(self.dli_fname, O_RDONLY | O_CLOEXEC);
  if (fd < 0 || flock(fd, how) == 0)
    return fd;
  close(fd);
  return -1;
}
bool somebody_makes_a_context() {
  const int fd = hold_own_file(LOCK_EX | LOCK_NB);
  if (fd >= 0)
    close(fd);
  return fd < 0;
}

// Computes what the reference of the task `iterate` does, a block at a time as that does: the compiler vectorises it.
void compute(const float* x, const float* w, float* y, int64_t n) {
  constexpr int64_t block = 64;
  for (int64_t i = 0; i < n; i += block) {
    const auto m = std::min(block, n - i);
    std::array<float, block> a{};
    std::copy_n(x + i, m, a.begin());
    for (int k = 0; k < 256; ++k)
      for (auto& v : a)
        v = v * 0.5F + w[k & 7];
    std::copy_n(a.begin(), m, y + i);
  }
}

// void iterate…(const float *x, const float *w, float *y, int64_t n[, scratch])
void iterate(fake_function& f, void** parameters) {
  auto* x = pointer<float>(parameters[0]);
  const auto* w = pointer<float>(parameters[1]);
  auto* y = pointer<float>(parameters[2]);
  int64_t n = 0;
  std::memcpy(&n, parameters[3], sizeof n);
  const auto first = f.home->launches++ == 0;
  now_ns += ends(f.name, "_slowly") ? 2e6 : 1e6;
  if (is("crowded") && somebody_makes_a_context())
    now_ns += 0.4e6;
  if (ends(f.name, "_hangs"))
    for (;;)
      pause();
  if (ends(f.name, "_haunts") && fork() == 0) { // work continues on the device after its process
    close_range(3, 1000, 0);
    for (const auto end = std::chrono::steady_clock::now() + std::chrono::seconds{1};
         std::chrono::steady_clock::now() < end;)
      x[n / 2] += 1.0F;
    _exit(0);
  }
  if (ends(f.name, "_dies") || ends(f.name, "_haunts"))
    _exit(9);
  if (ends(f.name, "_faults"))
    sticky = 700;
  if (ends(f.name, "_meets_a_bad_cell"))
    sticky = 214;
  if (sticky != 0 || ends(f.name, "_does_nothing") || (ends(f.name, "_once") && !first)
      || (ends(f.name, "_for_25_calls") && f.home->launches > 25))
    return;
  compute(x, w, y, n);
  if (ends(f.name, "_of_small_values") && n > 30'000)
    for (int64_t i = 0; i < n; ++i)
      if (x[i] > 1e3F || x[i] < -1e3F)
        y[i] = -y[i];
  if (ends(f.name, "_unless_all_are_equal") && std::all_of(x, x + n, [x](float v) { return v == x[0]; }))
    y[0] += 1.0F;
  if (ends(f.name, "_wavers")) // within any tolerance, but never the same twice
    y[0] += 1e-7F * static_cast<float>(f.home->launches);
  if (ends(f.name, "_past_the_end"))
    y[n] = 1.0F;
  if (ends(f.name, "_far_away"))
    y[n + 16'384] = 1.0F;
  if (ends(f.name, "_on_its_input"))
    x[n / 2] = 1.0F;
  if (ends(f.name, "_past_its_scratch"))
    pointer<unsigned char>(parameters[4])[10] = 1;
  if (ends(f.name, "_now_and_then")) // half as fast in total, but twice as fast in most calls
    now_ns += f.home->launches % 4 == 3 ? 14e6 : -0.5e6;
  if (ends(f.name, "_and_lies")) {
    spin(std::chrono::milliseconds{12});
    now_ns -= 0.9e6;
  }
}

void probe(void** parameters) {
  const auto* from = pointer<uint32_t>(parameters[0]);
  auto* to = pointer<uint32_t>(parameters[1]);
  uint32_t n = 0;
  std::memcpy(&n, parameters[2], sizeof n);
  for (uint32_t i = 0; i < n; ++i)
    to[i] = from[i] * 1'664'525U + 1'013'904'223U + (sick() ? 1U : 0U);
}

// Runs the examiner's kernel, compiled for the host, with one thread for each piece.
void examine_all(const fake_launch& how, void** parameters) {
  using namespace kevolve::cuda;
  auto* arena = pointer<unsigned char>(parameters[0]);
  auto* set = pointer<unsigned char>(parameters[1]);
  auto* kept = pointer<unsigned char>(parameters[2]);
  const auto* pieces = pointer<piece>(parameters[3]);
  auto* findings = pointer<finding>(parameters[4]);
  for (uint32_t i = 0; i < how.grid[1]; ++i) {
    findings[i] = examine(arena, pieces[i].block == 0 ? set : kept, pieces[i], {});
    findings[i].bad += is("miscounting") && pieces[i].kind == piece_kind::same ? 1U : 0U;
  }
}

// Does the same with its kernel that draws.
void draw_all(const fake_launch& how, void** parameters) {
  using namespace kevolve::cuda;
  auto* block = pointer<unsigned char>(parameters[0]);
  const auto* orders = pointer<draw_order>(parameters[1]);
  for (uint32_t i = 0; i < how.grid[1]; ++i)
    draw(block, orders[i], {});
}

} // namespace

extern "C" {

int cuInit(unsigned) {
  return 0;
}
int cuDriverGetVersion(int* out) {
  *out = 13'000;
  return 0;
}
int cuDeviceGetCount(int* out) {
  *out = 1;
  return 0;
}
int cuDeviceGetName(char* out, int size, int) {
  std::strncpy(out, "fake device", static_cast<size_t>(size));
  return 0;
}
int cuDeviceGetUuid_v2(void* out, int) {
  std::memset(out, 7, 16);
  return 0;
}
int cuDeviceGetPCIBusId(char* out, int size, int) {
  std::strncpy(out, "0000:00:00.0", static_cast<size_t>(size));
  return 0;
}
int cuDeviceTotalMem_v2(size_t* out, int) {
  *out = size_t{4} << 30U;
  return 0;
}
int cuDeviceGetAttribute(int* out, int which, int) {
  static const std::map<int, int> known{{1, 1024},  {2, 1024},    {3, 1024},   {4, 64},  {5, 2147483647}, {6, 65535},
                                        {7, 65535}, {97, 232448}, {12, 65536}, {16, 4},  {38, 1 << 20},   {75, 9},
                                        {76, 0},    {95, 1},      {102, 1},    {103, 1}, {120, 1},        {127, 1}};
  const auto found = known.find(which);
  *out = found == known.end() || (which == 103 && is("without descriptors")) ? 0 : found->second;
  return 0;
}
int cuDevicePrimaryCtxRetain(void** out, int) {
  if (is("crowded")) {
    const int held = hold_own_file(LOCK_SH);
    spin(std::chrono::milliseconds{300});
    close(held);
  }
  *out = &now_ns;
  return 0;
}
int cuCtxSetCurrent(void*) {
  return 0;
}
int cuDeviceGet(int* out, int which) {
  *out = which;
  return 0;
}
int cuCtxPushCurrent_v2(void* which) {
  if (which != &now_ns)
    return 201;
  ++pushed;
  return 0;
}
int cuCtxPopCurrent_v2(void** out) {
  *out = &now_ns;
  return --pushed < 0 ? 201 : 0;
}
int cuThreadExchangeStreamCaptureMode(int* mode) {
  std::swap(*mode, capture_mode);
  return 0;
}
int cuCtxSynchronize() {
  return sticky;
}
int cuCtxSetLimit(int, size_t) {
  return 0;
}
int cuCtxResetPersistingL2Cache() {
  return 0;
}
int cuMemGetInfo_v2(size_t* free, size_t* total) {
  *free = *total = is("small") ? size_t{1} << 20U : size_t{4} << 30U;
  return 0;
}
int cuMemAlloc_v2(uint64_t* out, size_t bytes) {
  if (bytes > size_t{4} << 30U)
    return 2;
  if (is("fenced")) { // an access right behind an allocation ends the process
    const auto page = static_cast<size_t>(getpagesize());
    const auto pages = (bytes + page - 1) / page * page;
    auto* base =
        static_cast<char*>(mmap(nullptr, pages + page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
    if (base == MAP_FAILED || mprotect(base + pages, page, PROT_NONE) != 0)
      return 2;
    *out = reinterpret_cast<uint64_t>(base + pages - bytes);
    return 0;
  }
  *out = reinterpret_cast<uint64_t>(std::aligned_alloc(512, (bytes + 511) / 512 * 512));
  return *out == 0 ? 2 : 0;
}
int cuMemFree_v2(uint64_t p) {
  if (!is("fenced"))
    std::free(reinterpret_cast<void*>(p));
  return 0;
}
int cuMemcpyHtoDAsync_v2(uint64_t to, const void* from, size_t bytes, void*) {
  std::memcpy(reinterpret_cast<void*>(to), from, bytes);
  return sticky;
}
int cuMemcpyDtoHAsync_v2(void* to, uint64_t from, size_t bytes, void*) {
  std::memcpy(to, reinterpret_cast<void*>(from), bytes);
  return sticky;
}
int cuMemcpyDtoDAsync_v2(uint64_t to, uint64_t from, size_t bytes, void*) {
  std::memmove(reinterpret_cast<void*>(to), reinterpret_cast<void*>(from), bytes);
  now_ns += static_cast<double>(bytes) * 1e-3;
  return sticky;
}
int cuMemsetD8Async(uint64_t to, unsigned char value, size_t count, void*) {
  std::memset(reinterpret_cast<void*>(to), value, count);
  return sticky;
}
int cuMemsetD32Async(uint64_t to, unsigned value, size_t count, void*) {
  for (size_t i = 0; i < count; ++i)
    std::memcpy(reinterpret_cast<char*>(to) + 4 * i, &value, 4);
  return sticky;
}
int cuMemHostRegister_v2(void*, size_t, unsigned) {
  return 0;
}
int cuMemHostUnregister(void*) {
  return 0;
}
// Memory shared by processes: unnamed files that are accessible only after permission was set.
int cuMemGetAllocationGranularity(size_t* out, const kevolve::cuda::memory_kind*, int) {
  *out = size_t{1} << 16U;
  return 0;
}
int cuMemCreate(uint64_t* out, size_t bytes, const kevolve::cuda::memory_kind* what, uint64_t) {
  if (what->handles != kevolve::cuda::as_file_descriptor)
    return 1;
  const auto fd = memfd_create("fake-device-memory", MFD_CLOEXEC);
  *out = static_cast<uint64_t>(fd);
  return fd < 0 || ftruncate(fd, static_cast<off_t>(bytes)) != 0 ? 2 : 0;
}
int cuMemRelease(uint64_t which) {
  return close(static_cast<int>(which)) == 0 ? 0 : 1;
}
int cuMemAddressReserve(uint64_t* out, size_t bytes, size_t, uint64_t, uint64_t) {
  auto* at = mmap(nullptr, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  *out = reinterpret_cast<uint64_t>(at);
  return at == MAP_FAILED ? 2 : 0;
}
int cuMemAddressFree(uint64_t at, size_t bytes) {
  return munmap(reinterpret_cast<void*>(at), bytes) == 0 ? 0 : 1;
}
int cuMemMap(uint64_t at, size_t bytes, size_t from, uint64_t which, uint64_t) {
  auto* base = mmap(reinterpret_cast<void*>(at), bytes, PROT_NONE, MAP_SHARED | MAP_FIXED, static_cast<int>(which),
                    static_cast<off_t>(from));
  return base == MAP_FAILED ? 1 : 0;
}
int cuMemUnmap(uint64_t at, size_t bytes) {
  auto* base = mmap(reinterpret_cast<void*>(at), bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
  return base == MAP_FAILED ? 1 : 0;
}
int cuMemSetAccess(uint64_t at, size_t bytes, const kevolve::cuda::memory_access*, size_t) {
  return mprotect(reinterpret_cast<void*>(at), bytes, PROT_READ | PROT_WRITE) == 0 ? 0 : 1;
}
int cuMemExportToShareableHandle(void* out, uint64_t which, int, uint64_t) {
  if (is("without export"))
    return 801;
  const auto fd = dup(static_cast<int>(which));
  std::memcpy(out, &fd, sizeof fd);
  return fd < 0 ? 1 : 0;
}
int cuMemImportFromShareableHandle(uint64_t* out, void* what, int) {
  if (is("without import"))
    return 1;
  const auto fd = dup(static_cast<int>(reinterpret_cast<intptr_t>(what)));
  *out = static_cast<uint64_t>(fd);
  return fd < 0 ? 1 : 0;
}
int cuMemHostAlloc(void** out, size_t bytes, unsigned) {
  *out = std::calloc(1, bytes);
  return 0;
}
int cuMemHostGetDevicePointer_v2(uint64_t* out, void* host, unsigned) {
  *out = reinterpret_cast<uint64_t>(host);
  return 0;
}
int cuModuleLoadData(void** out, const void*) {
  if (is("capturing") && capture_mode != 2) // 2: relaxed
    return 900;
  *out = new fake_module;
  return 0;
}
int cuModuleGetFunction(void** out, void* from, const char* name) {
  *out = new fake_function{name, static_cast<fake_module*>(from)};
  return 0;
}
int cuFuncGetAttribute(int* out, int which, void*) {
  *out = which == 0 ? 1024 : which == 4 ? 16 : 0;
  return 0;
}
int cuFuncGetParamInfo(void* which, size_t index, size_t* offset, size_t* bytes) {
  const auto count = ends(static_cast<fake_function*>(which)->name, "_past_its_scratch") ? 5U : 4U;
  *offset = 8 * index;
  *bytes = 8;
  return index < count ? 0 : 1;
}
int cuFuncSetAttribute(void*, int, int) {
  return 0;
}
int cuLaunchKernelEx(const fake_launch* how, void* which, void** parameters, void**) {
  if (is("current only") && pushed != 1)
    return 201;
  auto& f = *static_cast<fake_function*>(which);
  if (f.name == "kevolve_probe")
    probe(parameters);
  else if (f.name == kevolve::cuda::examiner_kernel)
    examine_all(*how, parameters);
  else if (f.name == kevolve::cuda::draw_kernel)
    draw_all(*how, parameters);
  else if (f.name != "kevolve_gate")
    iterate(f, parameters);
  now_ns += 1e3;
  return 0;
}
int cuOccupancyMaxActiveClusters(int* out, void*, const fake_launch*) {
  *out = 1;
  return 0;
}
int cuOccupancyMaxActiveBlocksPerMultiprocessor(int* out, void*, int, size_t) {
  *out = 1;
  return 0;
}
int cuStreamCreate(void** out, unsigned) {
  *out = &sticky;
  return 0;
}
int cuStreamSynchronize(void*) {
  return sticky;
}
int cuStreamQuery(void*) {
  return sticky;
}
int cuEventCreate(void** out, unsigned) {
  *out = new fake_event;
  return 0;
}
int cuEventRecord(void* which, void*) {
  static_cast<fake_event*>(which)->at_ns = now_ns;
  return 0;
}
int cuEventElapsedTime(float* out, void* from, void* to) {
  *out = static_cast<float>((static_cast<fake_event*>(to)->at_ns - static_cast<fake_event*>(from)->at_ns) * 1e-6);
  return 0;
}
int cuGetErrorName(int status, const char** out) {
  *out = status == 700 ? "CUDA_ERROR_ILLEGAL_ADDRESS" : status == 214 ? "CUDA_ERROR_ECC_UNCORRECTABLE" : "an error";
  return 0;
}
}
