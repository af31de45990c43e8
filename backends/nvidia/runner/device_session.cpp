#include "backends/nvidia/runner/device_session.hpp"

#include "backends/nvidia/cupti.hpp"
#include "backends/nvidia/runner/call_phases.hpp"
#include "backends/nvidia/runner/own_code.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstring>

namespace kevolve::cuda {

namespace {

using std::chrono::steady_clock;

// Room to move the arena about in, so that no call finds its arrays where the last one had them.
constexpr uint64_t rotation_room = uint64_t{4} << 20U;
constexpr uint64_t scratch_guard = 4096;
constexpr unsigned char outside_byte = 0xc3;
constexpr uint64_t looked_at = uint64_t{1} << 20U; // of what lies around the arena, on either side
constexpr unsigned own_stream = 1;                 // not ordered with the default stream
constexpr unsigned host_mapped = 2;
constexpr int limit_persisting_l2 = 6;
constexpr int attribute_dynamic_shared = 8;
constexpr int attribute_required_cluster = 11; // width; height and depth follow
constexpr int attribute_non_portable_cluster = 14;

uint64_t round_up(uint64_t x, uint64_t to) {
  return (x + to - 1) / to * to;
}

uint64_t sweep_bytes_for(uint64_t l2_bytes) {
  return std::max<uint64_t>(2 * l2_bytes, uint64_t{1} << 20U);
}

} // namespace

bool device_session::well(status s, const char* phase, cuda_wire::answer& how) {
  if (s == success)
    return true;
  how.status = s;
  how.name = name_of(*call_, s);
  how.phase = phase;
  if (how.detail.empty())
    how.detail = std::string{phase} + ": " + how.name;
  // These leave the context unusable.
  broken_ = broken_ || (s >= 700 && s != 701 && s != 720) || s == 214 || s == 999;
  return false;
}

int device_session::attribute(int which) const {
  int out = 0;
  call_->device_attribute(&out, which, device_);
  return out;
}

void device_session::wake(bool records) {
  auto found = load_driver();
  if (!found || (*found)->init(0) != success)
    return; // which open() tells
  if (!records) {
    recording_ = "not asked for";
    return;
  }
  auto recording = start_activities();
  records_ = recording.has_value();
  recording_ = recording ? *recording : recording.error().detail;
}

cuda_wire::hello device_session::open(int device) {
  const auto start = steady_clock::now();
  cuda_wire::hello out;
  auto found = load_driver();
  if (!found) {
    out.how = {-1, "no driver", "driver", found.error().detail};
    return out;
  }
  call_ = *found;
  device_ = device;
  int count = 0;
  if (!well(call_->init(0), "cuInit", out.how) || !well(call_->device_count(&count), "cuDeviceGetCount", out.how))
    return out;
  if (device >= count) {
    out.how = {-1, "no device", "device",
               "there is no device " + std::to_string(device) + " of " + std::to_string(count)};
    return out;
  }
  out.facts["cupti"] = recording_;
  if (!well(call_->context_retain(&context_, device), call_phase::context, out.how)
      || !well(call_->context_use(context_), call_phase::context, out.how)
      || !well(call_->make_stream(&stream_, own_stream), "stream", out.how)
      || !well(call_->make_event(&before_, 0), "event", out.how)
      || !well(call_->make_event(&begin_, 0), "event", out.how) || !well(call_->make_event(&end_, 0), "event", out.how)
      || !load_own_code(out.how))
    return out;

  std::array<char, 128> text{};
  std::array<unsigned char, 16> uuid{};
  call_->device_name(text.data(), static_cast<int>(text.size()), device);
  out.facts["device"] = text.data();
  call_->device_pci(text.data(), static_cast<int>(text.size()), device);
  out.facts["pci"] = text.data();
  call_->device_uuid(uuid.data(), device);
  constexpr const char* digits = "0123456789abcdef";
  for (const auto byte : uuid)
    out.facts["uuid"] += {digits[byte >> 4U], digits[byte & 15U]};
  int version = 0;
  call_->version(&version);
  out.facts["cuda"] = std::to_string(version / 1000) + "." + std::to_string(version % 1000 / 10);
  size_t free = 0;
  size_t total = 0;
  call_->memory_info(&free, &total);

  auto& l = out.limits;
  l.name = out.facts["device"];
  l.capability = static_cast<uint32_t>(attribute(75) * 10 + attribute(76));
  l.threads_per_block = static_cast<uint64_t>(attribute(1));
  for (size_t d = 0; d < 3; ++d) {
    l.block.at(d) = static_cast<uint64_t>(attribute(2 + static_cast<int>(d)));
    l.grid.at(d) = static_cast<uint64_t>(attribute(5 + static_cast<int>(d)));
  }
  l.shared_opt_in = static_cast<uint64_t>(attribute(97));
  l.registers_per_block = static_cast<uint64_t>(attribute(12));
  l.cluster_blocks = attribute(120) != 0 ? 8 : 0;
  l.cooperative = attribute(95) != 0;
  l.tensor_maps = attribute(127) != 0 && call_->encode_tiled != nullptr;
  l.multiprocessors = static_cast<uint64_t>(attribute(16));
  l.memory = free;
  l2_bytes_ = static_cast<uint64_t>(attribute(38));
  out.l2_bytes = l2_bytes_;
  // Nobody waits for it yet; load() tells of it where there is no room.
  cuda_wire::answer unheard;
  make_room(sweep_, sweep_bytes_, sweep_bytes_for(l2_bytes_), call_phase::sweep, unheard);
  // kHz and bits; both edges of the clock carry data.
  out.memory_bytes_per_second = 2e3 * attribute(36) * attribute(37) / 8.0;
  out.clock_khz = static_cast<uint32_t>(attribute(13));
  out.pageable_access = attribute(88) != 0;
  out.facts["multiprocessors"] = std::to_string(l.multiprocessors);
  out.facts["l2_bytes"] = std::to_string(l2_bytes_);
  out.facts["memory_bytes"] = std::to_string(total);
  out.facts["ecc"] = std::to_string(attribute(32));
  out.facts["capability"] = std::to_string(l.capability);
  out.facts["pageable_access"] = out.pageable_access ? "1" : "0";
  out.ready_ns = std::chrono::nanoseconds{steady_clock::now() - start}.count();
  return out;
}

bool device_session::load_own_code(cuda_wire::answer& how) {
  void* host = nullptr;
  if (!well(call_->load_module(&own_code_, own_code), call_phase::context, how)
      || !well(call_->get_function(&probe_, own_code_, probe_name), call_phase::context, how)
      || !well(call_->get_function(&gate_, own_code_, gate_name), call_phase::context, how)
      || !well(call_->allocate_host(&host, sizeof(uint32_t), host_mapped), call_phase::context, how))
    return false;
  flag_ = static_cast<uint32_t*>(host);
  return true;
}

bool device_session::load_code(cuda_wire::answer& how) {
  for (const auto& image : images_)
    if (!well(call_->load_module(&modules_.emplace_back(), image.data()), call_phase::load, how)) {
      modules_.pop_back();
      return false;
    }
  for (auto& k : kernels_) {
    auto found = status{500}; // not found
    for (size_t i = 0; i < modules_.size() && found == 500; ++i)
      found = call_->get_function(&k.entry, modules_[i], k.name.c_str());
    if (!well(found, call_phase::kernel, how)) {
      how.detail = "there is no kernel '" + k.name + "' in the code";
      return false;
    }
    int registers = 0;
    int shared = 0;
    int threads = 0;
    call_->function_attribute(&registers, 4, k.entry);
    call_->function_attribute(&shared, 1, k.entry);
    call_->function_attribute(&threads, 0, k.entry);
    k.facts = {};
    k.facts.registers = static_cast<uint32_t>(registers);
    k.facts.static_shared = static_cast<uint32_t>(shared);
    k.facts.most_threads = static_cast<uint32_t>(threads);
    k.facts.parameters_known = true;
    // Drivers before 11.8 know no clusters, and leave the zeros.
    for (size_t d = 0; d < k.facts.cluster.size(); ++d) {
      int blocks = 0;
      call_->function_attribute(&blocks, attribute_required_cluster + static_cast<int>(d), k.entry);
      k.facts.cluster[d] = static_cast<uint32_t>(blocks);
    }
    size_t offset = 0;
    size_t bytes = 0;
    for (size_t i = 0; call_->parameter_info(k.entry, i, &offset, &bytes) == success; ++i)
      k.facts.parameters.push_back(static_cast<uint32_t>(bytes));
    const auto most_dynamic = std::max(attribute(97) - shared, 0);
    if (!well(call_->set_function_attribute(k.entry, attribute_dynamic_shared, most_dynamic), call_phase::shared_memory,
              how))
      return false;
    call_->set_function_attribute(k.entry, attribute_non_portable_cluster, 0);
  }
  return true;
}

bool device_session::make_room(device_pointer& block, uint64_t& have, uint64_t bytes, const char* what,
                               cuda_wire::answer& how) {
  if (bytes <= have)
    return true;
  if (block != 0 && !well(call_->release(block), what, how))
    return false;
  block = 0;
  have = 0;
  if (!well(call_->allocate(&block, bytes), what, how)) {
    how.detail = std::string{what} + ": " + std::to_string(bytes) + " bytes are not to be had (" + how.name + ")";
    return false;
  }
  have = bytes;
  return true;
}

bool device_session::take_arena(const cuda_wire::load& order, int arena_fd, cuda_wire::answer& how) {
  if (order.on_device) {
    if (!well(shared_.take(*call_, device_, order.arena_bytes, arena_fd), call_phase::arena, how)) {
      how.detail = std::string{"arena: "} + shared_.function() + ": " + how.name;
      return false;
    }
    arena_ = shared_.at();
    arena_bytes_ = shared_.bytes();
    return true;
  }
  auto* base = mmap(nullptr, order.arena_bytes, PROT_READ | PROT_WRITE, MAP_SHARED, arena_fd, 0);
  if (base == MAP_FAILED) {
    how = {-1, "no memory", "exchange", "the exchange cannot be mapped"};
    return false;
  }
  exchange_ = static_cast<std::byte*>(base);
  // Copies from memory that the device knows are several times faster. It holds nothing that the device does not.
  call_->pin(exchange_, order.arena_bytes, 0);
  return make_room(arena_, arena_bytes_, order.arena_bytes + rotation_room, call_phase::arena, how);
}

cuda_wire::loaded device_session::load(const cuda_wire::load& order, int arena_fd) {
  cuda_wire::loaded out;
  const auto start = steady_clock::now();
  const bool taken = take_arena(order, arena_fd, out.how);
  close(arena_fd);
  if (!taken || !make_room(sweep_, sweep_bytes_, sweep_bytes_for(l2_bytes_), call_phase::sweep, out.how))
    return out;
  images_ = order.modules;
  for (const auto& name : order.kernels)
    kernels_.push_back({name, nullptr, {}});
  if (!load_code(out.how))
    return out;
  for (const auto& k : kernels_)
    out.facts[k.name] = k.facts;
  out.load_ns = std::chrono::nanoseconds{steady_clock::now() - start}.count();
  return out;
}

bool device_session::place_scratch(cuda_wire::answer& how) {
  scratch_places_.clear();
  auto next = scratch_guard;
  for (const auto& s : order_.plan.scratch) {
    scratch_places_.push_back({s.name, next, s.bytes, s.zeroed});
    next = round_up(next + s.bytes + scratch_guard, 1024);
  }
  if (scratch_places_.empty())
    return true;
  return make_room(scratch_, scratch_bytes_, next, "scratch", how)
         && well(call_->fill32(scratch_, static_cast<unsigned>(order_.poison), scratch_bytes_ / 4, stream_), "scratch",
                 how);
}

// Wipes what the arena does not use this time, so that nothing written there outlives a call. The bytes next to the
// arena are checked again afterwards.
bool device_session::wipe_around(cuda_wire::answer& how) {
  const auto end = order_.rotation + order_.bytes;
  return well(call_->fill8(arena_, outside_byte, order_.rotation, stream_), "inputs", how)
         && well(call_->fill8(arena_ + end, outside_byte, arena_bytes_ - end, stream_), "inputs", how);
}

bool device_session::holds_byte(device_pointer from, uint64_t bytes, unsigned char value, cuda_wire::answer& how) {
  std::vector<unsigned char> got(bytes);
  if (bytes == 0 || !well(call_->to_host(got.data(), from, bytes, stream_), "outputs", how)
      || !well(call_->synchronize(stream_), "outputs", how))
    return true;
  // The first is right, and every one is like the next.
  return got.front() == value && std::memcmp(got.data(), got.data() + 1, got.size() - 1) == 0;
}

device_pointer device_session::address_of(const std::string& buffer) const {
  if (const auto at = order_.places.find(buffer); at != order_.places.end())
    return arena_ + order_.rotation + at->second;
  for (const auto& s : scratch_places_)
    if (s.name == buffer)
      return scratch_ + s.offset;
  return 0;
}

bool device_session::encode_maps(cuda_wire::answer& how) {
  maps_.assign(order_.plan.maps.size(), {});
  for (size_t i = 0; i < maps_.size(); ++i) {
    const auto& m = order_.plan.maps[i];
    if (m.dims.empty() || m.strides.size() + 1 != m.dims.size() || m.box.size() != m.dims.size()
        || m.element_strides.size() != m.dims.size() || call_->encode_tiled == nullptr)
      return well(1, call_phase::tensor_map, how);
    auto* address = reinterpret_cast<void*>(address_of(m.buffer) + m.offset); // the driver's type for it
    const uint64_t none = 0; // a rank of one has no strides, and the driver wants a place for them nevertheless
    const auto s = call_->encode_tiled(&maps_[i], m.type, static_cast<uint32_t>(m.dims.size()), address, m.dims.data(),
                                       m.strides.empty() ? &none : m.strides.data(), m.box.data(),
                                       m.element_strides.data(), m.interleave, m.swizzle, m.l2_promotion, m.oob_fill);
    if (!well(s, call_phase::tensor_map, how)) {
      how.detail = "the driver refuses tensor map '" + m.name + "' (" + how.name + ")";
      return false;
    }
  }
  return true;
}

cuda_wire::staged device_session::stage(cuda_wire::stage order) {
  cuda_wire::staged out;
  order_ = std::move(order);
  if (order_.rotation > rotation_room || order_.rotation % 1024 != 0 || order_.bytes > arena_bytes_ - rotation_room) {
    out.how = {-1, "protocol", "stage", "an order beyond the arena"};
    return out;
  }
  if (records_) {
    record_activities(order_.records);
    take_activities(); // of whatever was before this call
  }
  if (!place_scratch(out.how) || !encode_maps(out.how))
    return out;
  if (exchange_ != nullptr
      && (!wipe_around(out.how)
          || !well(call_->to_device(arena_ + order_.rotation, exchange_, order_.bytes, stream_), "inputs", out.how)))
    return out;
  call_->set_limit(limit_persisting_l2, 0);
  call_->reset_persisting_l2();
  well(call_->synchronize(stream_), "stage", out.how);
  return out;
}

void device_session::copy_back(cuda_wire::fetched& out) {
  if (!well(call_->to_host(exchange_, arena_ + order_.rotation, order_.bytes, stream_), "outputs", out.how))
    return;
  const auto before = std::min(order_.rotation, looked_at);
  const auto end = order_.rotation + order_.bytes;
  out.strayed = !holds_byte(arena_ + order_.rotation - before, before, outside_byte, out.how)
                || !holds_byte(arena_ + end, std::min(arena_bytes_ - end, looked_at), outside_byte, out.how);
}

cuda_wire::fetched device_session::fetch() {
  cuda_wire::fetched out;
  if (exchange_ != nullptr)
    copy_back(out);
  if (out.how.status != success)
    return out;
  // Every byte between and around the scratch buffers is a guard; a poison of 32 bits repeats through all of it.
  const auto word = static_cast<uint32_t>(order_.poison);
  std::vector<unsigned char> guard;
  for (size_t i = 0; i <= scratch_places_.size() && !scratch_places_.empty(); ++i) {
    const auto from = i == 0 ? 0 : scratch_places_[i - 1].offset + scratch_places_[i - 1].bytes;
    const auto to = i == scratch_places_.size() ? round_up(from + scratch_guard, 1024) : scratch_places_[i].offset;
    guard.resize(to - from);
    if (!well(call_->to_host(guard.data(), scratch_ + from, guard.size(), stream_), "scratch guards", out.how)
        || !well(call_->synchronize(stream_), "scratch guards", out.how))
      return out;
    for (size_t k = 0; k < guard.size(); ++k)
      if (guard[k] != static_cast<unsigned char>(word >> (8 * ((from + k) % 4))) && out.broken_scratch.empty())
        out.broken_scratch = scratch_places_[i == 0 ? 0 : i - 1].name;
  }
  well(call_->synchronize(stream_), "outputs", out.how);
  return out;
}

} // namespace kevolve::cuda
