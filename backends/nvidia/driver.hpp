// The NVIDIA driver as a table of functions found at run time. The types are declared here from the published ABI, so
// no toolkit header is needed. Without a driver, the error says what to install.
#pragma once

#include "runtime/base/result.hpp"

#include <cstddef>
#include <cstdint>
#include <string>

namespace kevolve::cuda {

using device_pointer = uint64_t;
using status = int; // CUresult
using context = struct context_handle*;
using code_module = struct module_handle*;
using function = struct function_handle*;
using stream = struct stream_handle*;
using event = struct event_handle*;

struct launch_attribute { // CUlaunchAttribute
  uint32_t id = 0;
  uint32_t padding = 0;
  union {
    char space[64];
    int32_t cooperative;
    uint32_t cluster[3];
  } value = {};
};
inline constexpr uint32_t attribute_cooperative = 2;
inline constexpr uint32_t attribute_cluster = 4;

struct launch_configuration { // CUlaunchConfig
  uint32_t grid[3] = {1, 1, 1};
  uint32_t block[3] = {1, 1, 1};
  uint32_t shared = 0;
  stream on = nullptr;
  launch_attribute* attributes = nullptr;
  uint32_t attribute_count = 0;
};

struct alignas(64) tensor_map { // CUtensorMap
  uint64_t opaque[16] = {};
};

struct memory_location { // CUmemLocation
  int32_t type = 1;      // location is a device
  int32_t id = 0;
};

struct memory_kind {   // CUmemAllocationProp
  int32_t type = 1;    // pinned
  int32_t handles = 1; // exported as file descriptors
  memory_location where;
  void* of_another_system = nullptr;
  uint8_t flags[8] = {};
};

struct memory_access { // CUmemAccessDesc
  memory_location who;
  int32_t flags = 3; // read and write access
};

using memory_handle = uint64_t;                  // CUmemGenericAllocationHandle
inline constexpr int32_t as_file_descriptor = 1; // CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR

// Statuses that a verdict depends on.
inline constexpr status success = 0;
inline constexpr status out_of_memory = 2;

// The party that a status blames.
enum class blame : uint8_t { nobody = 0, candidate, memory, machine };
blame blame_for(status s);

struct driver {
  status (*init)(unsigned flags) = nullptr;
  status (*version)(int* out) = nullptr;
  status (*device_count)(int* out) = nullptr;
  status (*device_name)(char* out, int size, int device) = nullptr;
  status (*device_uuid)(void* out16, int device) = nullptr;
  status (*device_pci)(char* out, int size, int device) = nullptr;
  status (*device_memory)(size_t* out, int device) = nullptr;
  status (*device_attribute)(int* out, int attribute, int device) = nullptr;
  status (*context_retain)(context* out, int device) = nullptr; // retains the primary context
  status (*context_use)(context which) = nullptr;
  status (*context_synchronize)() = nullptr;
  status (*set_limit)(int limit, size_t value) = nullptr;
  status (*reset_persisting_l2)() = nullptr;
  status (*memory_info)(size_t* free, size_t* total) = nullptr;
  status (*allocate)(device_pointer* out, size_t bytes) = nullptr;
  status (*release)(device_pointer p) = nullptr;
  status (*to_device)(device_pointer to, const void* from, size_t bytes, stream on) = nullptr;
  status (*to_host)(void* to, device_pointer from, size_t bytes, stream on) = nullptr;
  status (*copy)(device_pointer to, device_pointer from, size_t bytes, stream on) = nullptr;
  status (*fill8)(device_pointer to, unsigned char value, size_t count, stream on) = nullptr;
  status (*fill32)(device_pointer to, unsigned value, size_t count, stream on) = nullptr;
  status (*pin)(void* host, size_t bytes, unsigned flags) = nullptr;
  status (*unpin)(void* host) = nullptr;
  status (*allocate_host)(void** out, size_t bytes, unsigned flags) = nullptr;
  status (*device_address)(device_pointer* out, void* host, unsigned flags) = nullptr;
  status (*load_module)(code_module* out, const void* image) = nullptr;
  status (*get_function)(function* out, code_module from, const char* name) = nullptr;
  status (*function_attribute)(int* out, int attribute, function which) = nullptr;
  status (*parameter_info)(function which, size_t index, size_t* offset, size_t* bytes) = nullptr;
  status (*set_function_attribute)(function which, int attribute, int value) = nullptr;
  status (*launch)(const launch_configuration* how, function which, void** parameters, void** extra) = nullptr;
  status (*active_clusters)(int* out, function which, const launch_configuration* how) = nullptr;
  status (*active_blocks)(int* out, function which, int threads, size_t shared) = nullptr;
  status (*make_stream)(stream* out, unsigned flags) = nullptr;
  status (*synchronize)(stream which) = nullptr;
  status (*query)(stream which) = nullptr;
  status (*make_event)(event* out, unsigned flags) = nullptr;
  status (*record)(event which, stream on) = nullptr;
  status (*elapsed)(float* milliseconds, event from, event to) = nullptr;
  status (*encode_tiled)(tensor_map* out, uint32_t type, uint32_t rank, void* address, const uint64_t* dims,
                         const uint64_t* strides, const uint32_t* box, const uint32_t* element_strides,
                         // Null if the driver lacks it.
                         uint32_t interleave, uint32_t swizzle, uint32_t promotion, uint32_t fill) = nullptr;
  status (*error_name)(status s, const char** out) = nullptr;

  // Functions for memory shared by two processes. Either all are set or none.
  status (*granularity)(size_t* out, const memory_kind* what, int option) = nullptr;
  status (*create_memory)(memory_handle* out, size_t bytes, const memory_kind* what, uint64_t flags) = nullptr;
  status (*forget_memory)(memory_handle which) = nullptr;
  status (*reserve)(device_pointer* out, size_t bytes, size_t alignment, device_pointer at, uint64_t flags) = nullptr;
  status (*unreserve)(device_pointer at, size_t bytes) = nullptr;
  status (*map)(device_pointer at, size_t bytes, size_t from, memory_handle which, uint64_t flags) = nullptr;
  status (*unmap)(device_pointer at, size_t bytes) = nullptr;
  status (*allow)(device_pointer at, size_t bytes, const memory_access* what, size_t count) = nullptr;
  status (*export_memory)(void* out, memory_handle which, int32_t as, uint64_t flags) = nullptr;
  status (*import_memory)(memory_handle* out, void* what, int32_t as) = nullptr;
  bool shares_memory() const { return import_memory != nullptr; }
};

// Loads libcuda.so.1 once. errc::unsupported: there is none; the message names the remedy.
result<const driver*> load_driver();

std::string name_of(const driver& d, status s);

} // namespace kevolve::cuda
