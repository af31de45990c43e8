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
// The part of free memory that is for sets. The rest is for arenas, the reference and candidates.
constexpr uint64_t fifths_for_sets = 2;

// Words or elements, whichever the kernel goes through.
uint64_t steps_of(const piece& p) {
  switch (p.kind) {
    case piece_kind::gaps_hold:
    case piece_kind::gaps_same:
      return p.span;
    case piece_kind::equal:
    case piece_kind::within:
    case piece_kind::within_figures:
    case piece_kind::block_equal:
    case piece_kind::block_figures:
    case piece_kind::finite:
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
  if (!well(call_->get_function(&kernel_, code_, examiner_kernel), "cuModuleGetFunction", out.how)
      || !well(call_->get_function(&draw_, code_, draw_kernel), "cuModuleGetFunction", out.how))
    return out;
  int multiprocessors = 0;
  call_->device_attribute(&multiprocessors, attribute_multiprocessors, device);
  blocks_ = blocks_per_multiprocessor * static_cast<uint32_t>(std::max(multiprocessors, 1));
  size_t free = 0;
  size_t total = 0;
  if (!well(call_->memory_info(&free, &total), "cuMemGetInfo", out.how))
    return out;
  out.budget = free / 5 * fifths_for_sets;
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

bool examiner_session::prepare_lists(size_t bytes, cuda_wire::answer& how) {
  if (bytes <= room_)
    return true;
  if (lists_ != 0)
    call_->release(lists_);
  lists_ = 0;
  room_ = 0;
  const auto room = std::max<size_t>(2 * bytes, size_t{1} << 14U);
  if (!well(call_->allocate(&lists_, room), "cuMemAlloc", how))
    return false;
  room_ = room;
  return true;
}

// A mistake of the runner's must not become an error of the device.
bool examiner_session::within_bounds(const piece& p, uint64_t arena, const block& set, const block& kept) {
  const auto& other = p.block == 0 ? set : kept;
  const auto width = [](element t) { return width_of(t); };
  switch (p.kind) {
    case piece_kind::fill:
    case piece_kind::holds:
      return fits(p.at, p.count, arena);
    case piece_kind::bring:
    case piece_kind::keep:
    case piece_kind::same:
      return p.at % 8 == 0 && p.other % 8 == 0 && fits(p.at, p.count, arena) && fits(p.other, p.count, other.bytes);
    case piece_kind::block_equal:
    case piece_kind::block_figures:
      return p.contiguous != 0 && fits(p.at, p.count * width(p.type), other.bytes)
             && fits(p.other, p.count * width(p.other_type), other.bytes);
    case piece_kind::finite:
      return fits(p.other, p.count * width(p.other_type), other.bytes);
    default:
      break;
  }
  const auto compact = p.compact != 0;
  const bool gaps = p.kind == piece_kind::gaps_hold || p.kind == piece_kind::gaps_same;
  const auto there = gaps || !compact ? p.span : p.count;
  return p.rank <= most_dimensions && p.count <= p.span && fits(p.at, p.span * width(p.type), arena)
         && (p.kind == piece_kind::gaps_hold || fits(p.other, there * width(p.other_type), other.bytes));
}

// Launches a kernel with one row of blocks for each entry of the lists, which travel with their answers, and waits.
bool examiner_session::run(function kernel, uint32_t rows, uint64_t steps, void** parameters,
                           const std::vector<char>& lists, uint64_t answer_bytes, bool answered,
                           cuda_wire::worked& out) {
  launch_configuration how;
  how.grid[0] = static_cast<uint32_t>(std::clamp<uint64_t>(steps / (threads * steps_per_thread), 1, blocks_));
  how.grid[1] = rows;
  how.block[0] = threads;
  how.on = stream_;
  if (!well(call_->record(begin_, stream_), "cuEventRecord", out.how)
      || !well(call_->to_device(lists_, lists.data(), lists.size(), stream_), "cuMemcpyHtoDAsync", out.how)
      || !well(call_->launch(&how, kernel, parameters, nullptr), "cuLaunchKernelEx", out.how))
    return false;
  if (answered) {
    out.findings.resize(answer_bytes);
    if (!well(call_->to_host(out.findings.data(), lists_ + (lists.size() - answer_bytes), answer_bytes, stream_),
              "cuMemcpyDtoHAsync", out.how))
      return false;
  }
  float milliseconds = 0.0F;
  if (!well(call_->record(end_, stream_), "cuEventRecord", out.how)
      || !well(call_->synchronize(stream_), "cuStreamSynchronize after a piece of work", out.how)
      || !well(call_->elapsed(&milliseconds, begin_, end_), "cuEventElapsedTime", out.how))
    return false;
  out.work_ns = static_cast<double>(milliseconds) * 1e6;
  return true;
}

cuda_wire::worked examiner_session::work(const cuda_wire::work& order) {
  cuda_wire::worked out;
  std::vector<piece> pieces(order.pieces.size() / sizeof(piece));
  std::memcpy(pieces.data(), order.pieces.data(), pieces.size() * sizeof(piece));
  auto set = held_[order.set];
  auto kept = held_.count(0) == 0 ? block{} : held_.at(0);
  const auto& arena = order.in_pool ? pool_ : arena_;
  uint64_t steps = 0;
  for (const auto& p : pieces) {
    steps = std::max(steps, steps_of(p));
    if (!within_bounds(p, arena.bytes(), set, kept)) {
      out.how = {-1, "protocol", "work", "the examiner: a piece of work beyond its memory"};
      return out;
    }
  }
  // Findings begin at zero, and travel with the pieces.
  const auto piece_bytes = pieces.size() * sizeof(piece);
  const auto answer_bytes = pieces.size() * sizeof(finding);
  std::vector<char> lists(piece_bytes + answer_bytes);
  if (pieces.empty() || !prepare_lists(lists.size(), out.how))
    return out;
  std::memcpy(lists.data(), pieces.data(), piece_bytes);
  auto at = arena.at();
  auto list = lists_;
  auto answers = lists_ + piece_bytes;
  std::array<void*, 5> parameters{&at, &set.at, &kept.at, &list, &answers};
  run(kernel_, static_cast<uint32_t>(pieces.size()), steps, parameters.data(), lists, answer_bytes, order.answered,
      out);
  return out;
}

cuda_wire::worked examiner_session::draw(const cuda_wire::draw& order) {
  cuda_wire::worked out;
  std::vector<draw_order> arrays(order.orders.size() / sizeof(draw_order));
  std::memcpy(arrays.data(), order.orders.data(), arrays.size() * sizeof(draw_order));
  auto set = held_[order.set];
  uint64_t steps = 0;
  for (const auto& a : arrays) {
    steps = std::max(steps, kevolve::cuda::steps_of(a));
    const auto there = a.contiguous != 0 ? a.count : a.span;
    if (a.rank > most_dimensions || a.row == 0 || !fits(a.at, there * width_of(a.type), set.bytes)) {
      out.how = {-1, "protocol", "draw", "the examiner: an array beyond its set"};
      return out;
    }
  }
  std::vector<char> lists(order.orders.begin(), order.orders.end());
  if (arrays.empty() || !prepare_lists(lists.size(), out.how))
    return out;
  auto list = lists_;
  std::array<void*, 2> parameters{&set.at, &list};
  run(draw_, static_cast<uint32_t>(arrays.size()), steps, parameters.data(), lists, 0, false, out);
  // The keys do not stay where later work might read them.
  if (out.how.status == success)
    well(call_->fill8(lists_, 0, lists.size(), stream_), "cuMemsetD8Async", out.how);
  return out;
}

cuda_wire::arena_made examiner_session::make_pool(const cuda_wire::make_pool& order, int& fd) {
  cuda_wire::arena_made out;
  pool_.release(*call_);
  if (order.bytes == 0)
    return out;
  if (well(pool_.make(*call_, device_, order.bytes, fd), pool_.function(), out.how))
    out.bytes = pool_.bytes();
  return out;
}

cuda_wire::acknowledged examiner_session::bring_set(const cuda_wire::bring_set& order) {
  cuda_wire::acknowledged out;
  const auto found = held_.find(order.set);
  if (found == held_.end() || !fits(order.from, order.bytes, found->second.bytes) || order.bytes > host_bytes_) {
    out.how = {-1, "protocol", "bring a set", "the examiner: bytes beyond a set"};
    return out;
  }
  if (well(call_->to_host(host_, found->second.at + order.from, order.bytes, stream_), "cuMemcpyDtoHAsync", out.how))
    well(call_->synchronize(stream_), "cuStreamSynchronize after a copy back", out.how);
  return out;
}

} // namespace kevolve::cuda
