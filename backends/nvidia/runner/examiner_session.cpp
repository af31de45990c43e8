#include "backends/nvidia/runner/examiner_session.hpp"

#include "backends/nvidia/examiner/examiner_code.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <string>
#include <vector>

namespace kevolve::cuda {

namespace {

constexpr unsigned own_stream = 1;
constexpr int attribute_virtual_memory = 102;
constexpr int attribute_descriptors = 103;
constexpr int attribute_multiprocessors = 16;
constexpr uint32_t threads = 256;
constexpr uint32_t blocks_per_multiprocessor = 4;
constexpr uint64_t steps_per_thread = 4; // at least, where there are so many
constexpr uint64_t share_of_memory = 4;  // of what is free, a part for sets

// Words or elements, whichever the kernel goes through.
uint64_t steps_of(const piece& p) {
  switch (p.kind) {
    case piece_kind::gaps_hold:
    case piece_kind::gaps_same:
      return p.span;
    case piece_kind::equal:
    case piece_kind::within:
    case piece_kind::within_figures:
      return p.count;
    default:
      return p.count / 8;
  }
}

bool fits(uint64_t from, uint64_t count, uint64_t bytes) {
  return from <= bytes && count <= bytes - from;
}

} // namespace

bool examiner_session::well(status s, const char* what, cuda_wire::answer& how) {
  if (s == success)
    return true;
  how.status = s;
  how.name = name_of(*call_, s);
  how.phase = what;
  how.detail = "the examiner: " + std::string{what} + ": " + how.name;
  return false;
}

cuda_wire::examiner_ready examiner_session::open(int device) {
  cuda_wire::examiner_ready out;
  auto found = load_driver();
  if (!found) {
    out.how = {-1, "no driver", "driver", found.error().detail};
    return out;
  }
  call_ = *found;
  device_ = device;
  if (examiner_code() == "none") {
    out.unfit = "the program was built without a compiler for the device";
    return out;
  }
  if (!call_->shares_memory()) {
    out.unfit = "the driver has no functions for memory that processes share";
    return out;
  }
  if (!well(call_->init(0), "cuInit", out.how))
    return out;
  int can = 0;
  int exports = 0;
  if (call_->device_attribute(&can, attribute_virtual_memory, device) != success || can == 0
      || call_->device_attribute(&exports, attribute_descriptors, device) != success || exports == 0) {
    out.unfit = "the device or its driver does not share memory by descriptors";
    return out;
  }
  context own = nullptr;
  if (!well(call_->context_retain(&own, device), "cuDevicePrimaryCtxRetain", out.how)
      || !well(call_->context_use(own), "cuCtxSetCurrent", out.how)
      || !well(call_->make_stream(&stream_, own_stream), "cuStreamCreate", out.how)
      || !well(call_->make_event(&begin_, 0), "cuEventCreate", out.how)
      || !well(call_->make_event(&end_, 0), "cuEventCreate", out.how))
    return out;
  const std::string code{examiner_code()};
  if (const auto s = call_->load_module(&code_, code.c_str()); s != success) {
    out.unfit = "the driver does not assemble the examiner's kernel: cuModuleLoadData: " + name_of(*call_, s);
    return out;
  }
  if (!well(call_->get_function(&kernel_, code_, examiner_kernel), "cuModuleGetFunction", out.how))
    return out;
  int multiprocessors = 0;
  call_->device_attribute(&multiprocessors, attribute_multiprocessors, device);
  blocks_ = blocks_per_multiprocessor * static_cast<uint32_t>(std::max(multiprocessors, 1));
  size_t free = 0;
  size_t total = 0;
  if (!well(call_->memory_info(&free, &total), "cuMemGetInfo", out.how))
    return out;
  out.budget = free / share_of_memory;
  return out;
}

cuda_wire::arena_made examiner_session::make_arena(const cuda_wire::make_arena& order, int& fd) {
  cuda_wire::arena_made out;
  const auto made = arena_.make(*call_, device_, order.bytes, fd);
  if (well(made, arena_.function(), out.how))
    out.bytes = arena_.bytes();
  return out;
}

cuda_wire::acknowledged examiner_session::attach(const cuda_wire::attach& order, int fd) {
  cuda_wire::acknowledged out;
  if (host_ != nullptr) {
    call_->unpin(host_);
    munmap(host_, host_bytes_);
  }
  host_ = nullptr;
  auto* base = mmap(nullptr, order.bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  close(fd);
  if (base == MAP_FAILED) {
    out.how = {-1, "no memory", "mmap", "the examiner: memory of the host cannot be mapped"};
    return out;
  }
  host_ = static_cast<std::byte*>(base);
  host_bytes_ = order.bytes;
  call_->pin(host_, host_bytes_, 0); // without it copies are only slower
  return out;
}

cuda_wire::acknowledged examiner_session::drop(const cuda_wire::drop& order) {
  cuda_wire::acknowledged out;
  const auto found = held_.find(order.set);
  if (found == held_.end())
    return out;
  const auto at = found->second.at;
  held_.erase(found);
  well(call_->release(at), "cuMemFree", out.how);
  return out;
}

cuda_wire::acknowledged examiner_session::hold(const cuda_wire::hold& order) {
  auto out = drop({order.set});
  block made{0, order.bytes};
  if (out.how.status != success
      || !well(call_->allocate(&made.at, std::max<uint64_t>(made.bytes, 1)), "cuMemAlloc", out.how))
    return out;
  held_[order.set] = made;
  return out;
}

cuda_wire::acknowledged examiner_session::put(const cuda_wire::put& order) {
  cuda_wire::acknowledged out;
  const auto found = held_.find(order.set);
  if (found == held_.end() || !fits(order.to, order.bytes, found->second.bytes)
      || !fits(order.from, order.bytes, host_bytes_)) {
    out.how = {-1, "protocol", "put", "the examiner: bytes beyond a set"};
    return out;
  }
  if (well(call_->to_device(found->second.at + order.to, host_ + order.from, order.bytes, stream_), "cuMemcpyHtoDAsync",
           out.how))
    well(call_->synchronize(stream_), "cuStreamSynchronize after an upload", out.how);
  return out;
}

cuda_wire::acknowledged examiner_session::bring_back(const cuda_wire::bring_back& order) {
  cuda_wire::acknowledged out;
  if (!fits(order.from, order.bytes, arena_.bytes()) || order.bytes > host_bytes_) {
    out.how = {-1, "protocol", "bring back", "the examiner: bytes beyond the arena"};
    return out;
  }
  if (well(call_->to_host(host_, arena_.at() + order.from, order.bytes, stream_), "cuMemcpyDtoHAsync", out.how))
    well(call_->synchronize(stream_), "cuStreamSynchronize after a copy back", out.how);
  return out;
}

bool examiner_session::prepare_lists(size_t pieces, cuda_wire::answer& how) {
  if (pieces <= room_)
    return true;
  if (lists_ != 0)
    call_->release(lists_);
  lists_ = 0;
  room_ = 0;
  const auto room = std::max<size_t>(2 * pieces, 64);
  if (!well(call_->allocate(&lists_, room * (sizeof(piece) + sizeof(finding))), "cuMemAlloc", how))
    return false;
  room_ = room;
  return true;
}

// A mistake of the runner's must not become an error of the device.
bool examiner_session::within_bounds(const piece& p, const block& set, const block& kept) const {
  const auto& other = p.block == 0 ? set : kept;
  const auto width = [](element t) -> uint64_t {
    return t == element::bytes1                                              ? 1
           : t == element::f16 || t == element::bf16 || t == element::bytes2 ? 2
           : t == element::f32 || t == element::bytes4                       ? 4
                                                                             : 8;
  };
  switch (p.kind) {
    case piece_kind::fill:
    case piece_kind::holds:
      return fits(p.at, p.count, arena_.bytes());
    case piece_kind::bring:
    case piece_kind::keep:
    case piece_kind::same:
      return p.at % 8 == 0 && p.other % 8 == 0 && fits(p.at, p.count, arena_.bytes())
             && fits(p.other, p.count, other.bytes);
    default:
      break;
  }
  const auto compact = p.compact != 0;
  const bool gaps = p.kind == piece_kind::gaps_hold || p.kind == piece_kind::gaps_same;
  const auto there = gaps || !compact ? p.span : p.count;
  return p.rank <= most_dimensions && p.count <= p.span && fits(p.at, p.span * width(p.type), arena_.bytes())
         && (p.kind == piece_kind::gaps_hold || fits(p.other, there * width(p.other_type), other.bytes));
}

cuda_wire::worked examiner_session::work(const cuda_wire::work& order) {
  cuda_wire::worked out;
  std::vector<piece> pieces(order.pieces.size() / sizeof(piece));
  std::memcpy(pieces.data(), order.pieces.data(), pieces.size() * sizeof(piece));
  auto set = held_[order.set];
  auto kept = held_.count(0) == 0 ? block{} : held_.at(0);
  for (const auto& p : pieces)
    if (!within_bounds(p, set, kept)) {
      out.how = {-1, "protocol", "work", "the examiner: a piece of work beyond its memory"};
      return out;
    }
  if (pieces.empty() || !prepare_lists(pieces.size(), out.how))
    return out;
  // Findings begin at zero, and travel with the pieces.
  const auto piece_bytes = pieces.size() * sizeof(piece);
  const auto answer_bytes = pieces.size() * sizeof(finding);
  std::vector<char> lists(piece_bytes + answer_bytes);
  std::memcpy(lists.data(), pieces.data(), piece_bytes);
  auto at = arena_.at();
  auto list = lists_;
  auto answers = lists_ + piece_bytes;
  std::array<void*, 5> parameters{&at, &set.at, &kept.at, &list, &answers};
  launch_configuration how;
  uint64_t steps = 0;
  for (const auto& p : pieces)
    steps = std::max(steps, steps_of(p));
  how.grid[0] = static_cast<uint32_t>(std::clamp<uint64_t>(steps / (threads * steps_per_thread), 1, blocks_));
  how.grid[1] = static_cast<uint32_t>(pieces.size());
  how.block[0] = threads;
  how.on = stream_;
  if (!well(call_->record(begin_, stream_), "cuEventRecord", out.how)
      || !well(call_->to_device(list, lists.data(), lists.size(), stream_), "cuMemcpyHtoDAsync", out.how)
      || !well(call_->launch(&how, kernel_, parameters.data(), nullptr), "cuLaunchKernelEx", out.how))
    return out;
  if (order.answered) {
    out.findings.resize(answer_bytes);
    if (!well(call_->to_host(out.findings.data(), answers, answer_bytes, stream_), "cuMemcpyDtoHAsync", out.how))
      return out;
  }
  float milliseconds = 0.0F;
  if (well(call_->record(end_, stream_), "cuEventRecord", out.how)
      && well(call_->synchronize(stream_), "cuStreamSynchronize after a piece of work", out.how)
      && well(call_->elapsed(&milliseconds, begin_, end_), "cuEventElapsedTime", out.how))
    out.work_ns = static_cast<double>(milliseconds) * 1e6;
  return out;
}

} // namespace kevolve::cuda
