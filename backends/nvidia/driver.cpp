#include "backends/nvidia/driver.hpp"

#include "backends/nvidia/dynamic_library.hpp"

namespace kevolve::cuda {

namespace {

struct loaded {
  driver table;
  failure trouble;
};

loaded load() {
  loaded out;
  dynamic_library library{"libcuda.so.1"};
  if (!library) {
    out.trouble = {errc::unsupported, "no NVIDIA driver: libcuda.so.1 is not found (" + library.why()
                                          + "); install the driver of this machine's GPU"};
    return out;
  }
  auto& d = out.table;
  library.find(d.init, "cuInit");
  library.find(d.version, "cuDriverGetVersion");
  library.find(d.device_count, "cuDeviceGetCount");
  library.find(d.device_name, "cuDeviceGetName");
  library.find(d.device_uuid, "cuDeviceGetUuid_v2");
  library.find(d.device_pci, "cuDeviceGetPCIBusId");
  library.find(d.device_memory, "cuDeviceTotalMem_v2");
  library.find(d.device_attribute, "cuDeviceGetAttribute");
  library.find(d.context_retain, "cuDevicePrimaryCtxRetain");
  library.find(d.context_use, "cuCtxSetCurrent");
  library.find(d.context_synchronize, "cuCtxSynchronize");
  library.find(d.set_limit, "cuCtxSetLimit");
  library.find(d.reset_persisting_l2, "cuCtxResetPersistingL2Cache");
  library.find(d.memory_info, "cuMemGetInfo_v2");
  library.find(d.allocate, "cuMemAlloc_v2");
  library.find(d.release, "cuMemFree_v2");
  library.find(d.to_device, "cuMemcpyHtoDAsync_v2");
  library.find(d.to_host, "cuMemcpyDtoHAsync_v2");
  library.find(d.copy, "cuMemcpyDtoDAsync_v2");
  library.find(d.fill8, "cuMemsetD8Async");
  library.find(d.fill32, "cuMemsetD32Async");
  library.find(d.pin, "cuMemHostRegister_v2");
  library.find(d.unpin, "cuMemHostUnregister");
  library.find(d.allocate_host, "cuMemHostAlloc");
  library.find(d.device_address, "cuMemHostGetDevicePointer_v2");
  library.find(d.load_module, "cuModuleLoadData");
  library.find(d.get_function, "cuModuleGetFunction");
  library.find(d.function_attribute, "cuFuncGetAttribute");
  library.find(d.set_function_attribute, "cuFuncSetAttribute");
  library.find(d.parameter_info, "cuFuncGetParamInfo");
  library.find(d.launch, "cuLaunchKernelEx");
  library.find(d.active_clusters, "cuOccupancyMaxActiveClusters");
  library.find(d.active_blocks, "cuOccupancyMaxActiveBlocksPerMultiprocessor");
  library.find(d.make_stream, "cuStreamCreate");
  library.find(d.synchronize, "cuStreamSynchronize");
  library.find(d.query, "cuStreamQuery");
  library.find(d.make_event, "cuEventCreate");
  library.find(d.record, "cuEventRecord");
  library.find(d.elapsed, "cuEventElapsedTime");
  library.find(d.error_name, "cuGetErrorName");
  if (!library.missing().empty()) {
    out.trouble = {errc::unsupported, "the NVIDIA driver has no " + library.missing()
                                          + ": it is too old, version 550 (CUDA 12.4) or newer is needed"};
    return out;
  }
  library.find(d.encode_tiled, "cuTensorMapEncodeTiled"); // optional: plans with tensor maps are refused without it
  // Optional: without these functions, all comparisons run on the host. The last one is set only if all are found.
  if (library.find(d.granularity, "cuMemGetAllocationGranularity") && library.find(d.create_memory, "cuMemCreate")
      && library.find(d.forget_memory, "cuMemRelease") && library.find(d.reserve, "cuMemAddressReserve")
      && library.find(d.unreserve, "cuMemAddressFree") && library.find(d.map, "cuMemMap")
      && library.find(d.unmap, "cuMemUnmap") && library.find(d.allow, "cuMemSetAccess")
      && library.find(d.export_memory, "cuMemExportToShareableHandle"))
    library.find(d.import_memory, "cuMemImportFromShareableHandle");
  return out;
}

} // namespace

blame blame_for(status s) {
  switch (s) {
    case success:
      return blame::nobody;
    case out_of_memory:
    case 701: // out of resources at launch
      return blame::memory;
    case 200: // invalid image or function, or an error while it ran
    case 209:
    case 218:
    case 222:
    case 225:
    case 300:
    case 500:
    case 1: // an invalid value, from the plan
    case 700:
    case 702:
    case 710:
    case 714:
    case 715:
    case 716:
    case 717:
    case 718:
    case 719:
    case 720:
    case 811:
    case 812:
    case 912:
      return blame::candidate;
    default:
      return blame::machine;
  }
}

result<const driver*> load_driver() {
  static const loaded once = load();
  if (once.trouble.code != errc::none)
    return tl::unexpected(once.trouble);
  return &once.table;
}

std::string name_of(const driver& d, status s) {
  const char* text = nullptr;
  if (d.error_name == nullptr || d.error_name(s, &text) != success || text == nullptr)
    return "CUDA error " + std::to_string(s);
  return text;
}

} // namespace kevolve::cuda
