// The examiner's side of sets that are made on the device: placed, drawn, worked on beside the reference, fetched.
#include "backends/nvidia/runner/examiner_client.hpp"

#include <unistd.h>

#include <algorithm>
#include <cstring>

namespace kevolve::cuda {

namespace {

using cuda_wire::word;

constexpr std::chrono::milliseconds order_limit{60'000};

} // namespace

attempt<void> examiner_client::place(const input_set& set) {
  if (auto ok = finish_lay_out(); !ok) // of a call that came to nothing
    return ok;
  const auto where = place_set(set);
  if (auto ok = make_room(set.number, where.bytes); !ok)
    return ok;
  return upload(set, where);
}

attempt<void> examiner_client::draw(const input_set& set, const std::string& orders) {
  if (orders.empty())
    return {};
  auto said =
      process_.ask<cuda_wire::worked>(word::draw, cuda_wire::draw{set.number, orders}, word::worked, order_limit);
  if (!said)
    return lost(said.error());
  if (said->how.status != success)
    return fault(said->how);
  work_ns_ += said->work_ns;
  ++drawn_;
  return {};
}

void examiner_client::forget(uint64_t number) {
  const auto found = std::find_if(held_.begin(), held_.end(), [&](const auto& h) { return h.number == number; });
  if (found == held_.end() || !finish_lay_out() || !process_.runs())
    return;
  held_bytes_ -= found->bytes;
  held_.erase(found);
  // A failure ends the examiner; the next request returns the error.
  static_cast<void>(order_drop(number));
}

attempt<void> examiner_client::bring_set(const input_set& set, uint64_t from, uint64_t bytes, std::byte* to) {
  if (auto ok = finish_lay_out(); !ok)
    return ok;
  if (auto ok = have(set, place_set(set)); !ok)
    return ok;
  const uint64_t room = host_.status_offset(0); // not the pages behind it
  for (uint64_t done = 0; done < bytes;) {
    const auto part = std::min(room, bytes - done);
    auto said = process_.ask<cuda_wire::acknowledged>(
        word::bring_set, cuda_wire::bring_set{set.number, from + done, part}, word::acknowledged, order_limit);
    if (!said)
      return lost(said.error());
    if (said->how.status != success)
      return fault(said->how);
    std::memcpy(to + done, host_.data(), part);
    done += part;
  }
  host_.forget_guards();
  return {};
}

attempt<input_set> examiner_client::fetch(const input_set& set) {
  const auto where = place_set(set);
  input_set out;
  out.number = next_set_number();
  out.data.sizes = set.data.sizes;
  out.data.geometries = set.data.geometries;
  out.data.by_value = set.data.by_value;
  out.layout = set.layout;
  out.by_oracle = set.by_oracle;
  out.error_scale = set.error_scale;
  out.draw = set.draw;
  out.chosen = set.chosen;
  out.own_error = set.own_error;
  out.of_held_out_shape = set.of_held_out_shape;
  const auto arguments = set.data.geometries.size();
  out.data.inputs.resize(arguments);
  out.expected.resize(arguments);
  out.reference_output.resize(arguments);
  const auto bring = [&](const resident_set::part& part, byte_buffer& to) -> attempt<void> {
    if (part.size == 0)
      return {};
    to = byte_buffer(part.size);
    if (part.bytes == nullptr)
      return bring_set(set, part.at, part.size, to.data());
    std::memcpy(to.data(), part.bytes->data(), part.size);
    return {};
  };
  for (size_t i = 0; i < arguments; ++i) {
    out.expected[i].type = set.expected[i].type;
    for (auto ok : {bring(where.inputs[i], out.data.inputs[i]), bring(where.expected[i], out.expected[i].values),
                    bring(where.reference[i], out.reference_output[i])})
      if (!ok)
        return tl::unexpected(ok.error());
  }
  return out;
}

void examiner_client::drop_pool() {
  if (pool_fd_ >= 0)
    ::close(pool_fd_);
  pool_fd_ = -1;
  pool_bytes_ = 0;
}

attempt<void> examiner_client::ready_pool(uint64_t bytes) {
  if (auto ok = finish_lay_out(); !ok)
    return ok;
  if (pool_fd_ >= 0 && bytes <= pool_bytes_)
    return {};
  drop_pool();
  auto made =
      process_.ask<cuda_wire::arena_made>(word::make_pool, cuda_wire::make_pool{bytes}, word::arena_made, order_limit);
  if (!made)
    return lost(made.error());
  if (made->how.status != success)
    return fault(made->how);
  auto fd = process_.receive_fd(order_limit);
  if (!fd)
    return lost(fd.error());
  pool_fd_ = *fd;
  pool_bytes_ = made->bytes;
  ++pools_;
  return {};
}

attempt<std::vector<finding>> examiner_client::work_in_pool(const input_set& set, const std::vector<piece>& pieces) {
  if (pieces.empty())
    return std::vector<finding>{};
  if (auto ok = have(set, place_set(set)); !ok)
    return tl::unexpected(ok.error());
  auto order = order_of(set, pieces, true);
  order.in_pool = true;
  auto said = process_.ask<cuda_wire::worked>(word::work, order, word::worked, order_limit);
  if (!said)
    return lost(said.error());
  if (said->how.status != success)
    return fault(said->how);
  work_ns_ += said->work_ns;
  std::vector<finding> found(pieces.size());
  if (said->findings.size() != found.size() * sizeof(finding))
    return lost({errc::protocol, "it answers other questions than it was asked"});
  std::memcpy(found.data(), said->findings.data(), said->findings.size());
  return found;
}

} // namespace kevolve::cuda
