#include "backends/nvidia/runner/examiner_client.hpp"

#include "runtime/base/fault_kinds.hpp"

#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <utility>

namespace kevolve::cuda {

namespace {

using cuda_wire::word;
using std::chrono::milliseconds;

constexpr milliseconds start_limit{120'000}; // a driver that has been idle takes seconds to wake
constexpr milliseconds order_limit{60'000};
constexpr uint64_t rotation_room = uint64_t{4} << 20U;     // as a worker's own arena has
constexpr uint64_t least_host_bytes = uint64_t{64} << 20U; // uploads go through it a part at a time

} // namespace

tl::unexpected<evaluation_error> examiner_client::fault(const cuda_wire::answer& how) {
  end();
  return how.status == out_of_memory ? infrastructure(fault_kind::no_space, "device memory: " + how.detail)
                                     : infrastructure(fault_kind::device_sick, how.detail);
}

tl::unexpected<evaluation_error> examiner_client::lost(const failure& why) {
  end();
  return infrastructure(fault_kind::worker_killed, "the examiner: " + to_string(why));
}

void examiner_client::give_up(const std::string& why) {
  end();
  unfit_ = why;
}

void examiner_client::abandon_arena() {
  if (arena_fd_ >= 0)
    ::close(arena_fd_);
  arena_fd_ = -1;
  arena_bytes_ = 0;
}

void examiner_client::end() {
  process_.end();
  abandon_arena();
  laying_out_ = false;
  held_.clear();
  held_bytes_ = 0;
  kept_bytes_ = 0;
  drop_pool();
}

template <class Order>
attempt<void> examiner_client::order(word kind, const Order& what) {
  auto said = process_.ask<cuda_wire::acknowledged>(kind, what, word::acknowledged, order_limit);
  if (!said)
    return lost(said.error());
  if (said->how.status != success)
    return fault(said->how);
  return {};
}

attempt<void> examiner_client::start(const worker_options& options) {
  end();
  auto started = worker_client::start(options, "--examiner");
  if (!started)
    return infrastructure(started.error());
  process_ = std::move(*started);
  auto said = process_.hear(word::examiner_ready, start_limit);
  auto ready =
      said ? decode<cuda_wire::examiner_ready>(*said) : result<cuda_wire::examiner_ready>{tl::unexpected(said.error())};
  if (!ready)
    return lost(ready.error());
  if (ready->how.status != success)
    return fault(ready->how);
  unfit_ = ready->unfit;
  budget_ = ready->budget;
  if (!unfit_.empty())
    end();
  return {};
}

attempt<void> examiner_client::make_arena(uint64_t bytes) {
  abandon_arena();
  auto made = process_.ask<cuda_wire::arena_made>(word::make_arena, cuda_wire::make_arena{bytes}, word::arena_made,
                                                  order_limit);
  if (!made)
    return lost(made.error());
  if (made->how.status == out_of_memory)
    return fault(made->how);
  if (made->how.status != success) {
    end();
    unfit_ = made->how.detail;
    return {};
  }
  auto fd = process_.receive_fd(order_limit);
  if (!fd)
    return lost(fd.error());
  arena_fd_ = *fd;
  ++arenas_;
  arena_bytes_ = made->bytes;
  return {};
}

attempt<void> examiner_client::attach() {
  auto said = process_.hand<cuda_wire::acknowledged>(word::attach, cuda_wire::attach{host_.mapped_bytes()}, host_.fd(),
                                                     word::acknowledged, order_limit);
  if (!said)
    return lost(said.error());
  return said->how.status == success ? attempt<void>{} : fault(said->how);
}

attempt<bool> examiner_client::ready(const worker_options& options, uint64_t bytes) {
  if (!unfit_.empty())
    return false;
  const bool fresh = !process_.runs();
  if (auto ok = fresh ? attempt<void>{} : finish_lay_out(); !ok)
    return tl::unexpected(ok.error());
  if (fresh)
    if (auto ok = start(options); !ok || !unfit_.empty())
      return ok ? attempt<bool>{false} : tl::unexpected(ok.error());
  const auto wanted = bytes + rotation_room;
  // A task that needs far less gives the rest back: what is there is wiped before every call.
  if (arena_fd_ < 0 || wanted > arena_bytes_ || wanted < arena_bytes_ / 4)
    if (auto ok = make_arena(wanted); !ok || !unfit_.empty())
      return ok ? attempt<bool>{false} : tl::unexpected(ok.error());
  if (fresh || host_.fd() < 0) {
    if (host_.fd() < 0)
      if (auto ok = host_.prepare(least_host_bytes); !ok)
        return infrastructure(ok.error());
    if (auto ok = attach(); !ok)
      return tl::unexpected(ok.error());
  }
  if (bytes > kept_bytes_) {
    if (auto ok = order(word::hold, cuda_wire::hold{0, bytes}); !ok)
      return tl::unexpected(ok.error());
    kept_bytes_ = bytes;
  }
  return true;
}

attempt<void> examiner_client::drop_oldest() {
  const auto oldest = held_.back();
  held_.pop_back();
  held_bytes_ -= oldest.bytes;
  return order_drop(oldest.number);
}

attempt<void> examiner_client::order_drop(uint64_t number) {
  return order(word::drop, cuda_wire::drop{number});
}

attempt<void> examiner_client::make_room(uint64_t number, uint64_t bytes) {
  while (!held_.empty() && held_bytes_ + bytes > budget_)
    if (auto ok = drop_oldest(); !ok)
      return ok;
  for (;;) {
    auto said = process_.ask<cuda_wire::acknowledged>(word::hold, cuda_wire::hold{number, bytes}, word::acknowledged,
                                                      order_limit);
    if (!said)
      return lost(said.error());
    if (said->how.status == success)
      break;
    // A candidate's scratch memory, or another program's, may be where the budget was.
    if (said->how.status != out_of_memory || held_.empty())
      return fault(said->how);
    if (auto ok = drop_oldest(); !ok)
      return ok;
  }
  held_.push_front({number, bytes});
  held_bytes_ += bytes;
  return {};
}

attempt<void> examiner_client::upload(const input_set& set, const resident_set& where) {
  const auto room = host_.status_offset(0); // not the pages behind it
  for (const auto* parts : {&where.inputs, &where.expected, &where.reference})
    for (const auto& part : *parts)
      for (uint64_t from = 0; part.bytes != nullptr && from < part.bytes->size(); from += room) {
        const auto bytes = std::min<uint64_t>(room, part.bytes->size() - from);
        std::memcpy(host_.data(), part.bytes->data() + from, bytes);
        if (auto ok = order(word::put, cuda_wire::put{set.number, part.at + from, 0, bytes}); !ok)
          return ok;
      }
  host_.forget_guards();
  uploads_ += set.remote ? 0 : 1;
  return {};
}

bool examiner_client::holds(uint64_t number) {
  const auto found = std::find_if(held_.begin(), held_.end(), [&](const auto& h) { return h.number == number; });
  if (found == held_.end())
    return false;
  held_.splice(held_.begin(), held_, found);
  return true;
}

attempt<void> examiner_client::have(const input_set& set, const resident_set& where) {
  if (holds(set.number))
    return {};
  if (set.remote && remake_)
    return remake_(set);
  if (auto ok = make_room(set.number, where.bytes); !ok)
    return ok;
  return upload(set, where);
}

cuda_wire::work examiner_client::order_of(const input_set& set, const std::vector<piece>& pieces, bool answered) {
  cuda_wire::work out;
  out.set = set.number;
  out.pieces.assign(reinterpret_cast<const char*>(pieces.data()), pieces.size() * sizeof(piece));
  out.answered = answered;
  return out;
}

attempt<void> examiner_client::begin_lay_out(const contract& task, const input_set& set, uint64_t poison,
                                             uint64_t rotation) {
  const auto where = place_set(set);
  if (auto ok = finish_lay_out(); !ok) // of a call that came to nothing
    return ok;
  if (auto ok = have(set, where); !ok)
    return ok;
  const auto pieces = pieces_to_lay_out(task, set, where, poison, {rotation, arena_bytes_});
  if (auto told = process_.tell(word::work, order_of(set, pieces, false)); !told)
    return lost(told.error());
  laying_out_ = true;
  return {};
}

attempt<void> examiner_client::finish_lay_out() {
  if (!std::exchange(laying_out_, false))
    return {};
  auto said = process_.hear(word::worked, order_limit);
  auto done = said ? decode<cuda_wire::worked>(*said) : result<cuda_wire::worked>{tl::unexpected(said.error())};
  if (!done)
    return lost(done.error());
  work_ns_ += done->work_ns;
  return done->how.status == success ? attempt<void>{} : fault(done->how);
}

attempt<examined> examiner_client::check(const contract& task, const input_set& set, const input_sets& inputs,
                                         uint64_t poison, uint64_t rotation, bool full, rerun again) {
  const auto where = place_set(set);
  const auto asked = pieces_to_check(task, set, inputs, where, poison, {rotation, arena_bytes_}, full, again);
  auto said = process_.ask<cuda_wire::worked>(word::work, order_of(set, asked.pieces, true), word::worked, order_limit);
  if (!said)
    return lost(said.error());
  if (said->how.status != success)
    return fault(said->how);
  work_ns_ += said->work_ns;
  std::vector<finding> found(asked.pieces.size());
  if (said->findings.size() != found.size() * sizeof(finding))
    return lost({errc::protocol, "it answers other questions than it was asked"});
  std::memcpy(found.data(), said->findings.data(), said->findings.size());
  return read_findings(asked, found, set);
}

attempt<void> examiner_client::grow_host(uint64_t bytes) {
  if (host_.fd() >= 0 && host_.mapped_bytes() >= bytes)
    return {};
  if (auto ok = host_.prepare(bytes); !ok)
    return infrastructure(ok.error());
  return attach();
}

attempt<void> examiner_client::bring_back(uint64_t rotation, uint64_t bytes) {
  return order(word::bring_back, cuda_wire::bring_back{rotation, bytes});
}

} // namespace kevolve::cuda
