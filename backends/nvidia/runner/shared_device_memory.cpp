#include "backends/nvidia/runner/shared_device_memory.hpp"

#include <unistd.h>

namespace kevolve::cuda {

status shared_device_memory::place(const driver& d, int device, memory_handle which) {
  memory_access access;
  access.who.id = device;
  function_ = "cuMemAddressReserve";
  auto s = d.reserve(&at_, bytes_, 0, 0, 0);
  if (s != success) {
    at_ = 0;
    return s;
  }
  function_ = "cuMemMap";
  s = d.map(at_, bytes_, 0, which, 0);
  if (s != success) {
    d.unreserve(at_, bytes_);
    at_ = 0;
    return s;
  }
  function_ = "cuMemSetAccess";
  s = d.allow(at_, bytes_, &access, 1);
  if (s != success)
    release(d);
  return s;
}

status shared_device_memory::make(const driver& d, int device, uint64_t bytes, int& fd) {
  release(d);
  memory_kind kind;
  kind.where.id = device;
  size_t unit = 0;
  function_ = "cuMemGetAllocationGranularity";
  auto s = d.granularity(&unit, &kind, 1);
  if (s != success)
    return s;
  bytes_ = (bytes + unit - 1) / unit * unit;
  memory_handle made = 0;
  function_ = "cuMemCreate";
  s = d.create_memory(&made, bytes_, &kind, 0);
  if (s != success)
    return s;
  function_ = "cuMemExportToShareableHandle";
  int exported = -1;
  s = d.export_memory(&exported, made, as_file_descriptor, 0);
  if (s == success)
    s = place(d, device, made);
  d.forget_memory(made); // it lives as long as it is mapped
  if (s == success)
    fd = exported;
  else if (exported >= 0)
    ::close(exported);
  return s;
}

status shared_device_memory::take(const driver& d, int device, uint64_t bytes, int fd) {
  release(d);
  bytes_ = bytes;
  memory_handle taken = 0;
  function_ = "cuMemImportFromShareableHandle";
  // The driver's type for a descriptor is a pointer of that value.
  auto s = d.import_memory(&taken, reinterpret_cast<void*>(static_cast<intptr_t>(fd)), as_file_descriptor);
  if (s != success)
    return s;
  s = place(d, device, taken);
  d.forget_memory(taken);
  return s;
}

void shared_device_memory::release(const driver& d) {
  if (at_ == 0)
    return;
  d.unmap(at_, bytes_);
  d.unreserve(at_, bytes_);
  at_ = 0;
  bytes_ = 0;
}

} // namespace kevolve::cuda
