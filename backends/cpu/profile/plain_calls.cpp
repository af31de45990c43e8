#include "backends/cpu/profile/plain_calls.hpp"

#include "backends/cpu/profile/profile_build.hpp"

namespace kevolve {

result<void> write_image(const pass_request& q, const call_image& image, const std::string& name) {
  return write_profile_file(q, name, image_file(image));
}

result<plain_calls> run_plain_calls(const pass_request& q, uint64_t limit_ms) {
  if (q.shape >= q.task.shapes.size())
    return fail(errc::bad_input, "the task has no such shape");
  auto image = draw_image(q.task, q.task.shapes[q.shape]);
  if (!image)
    return tl::unexpected(image.error());
  plain_calls out{std::move(*image), {}, 0.0};
  if (auto ok = write_image(q, out.image, "arguments.bin"); !ok)
    return tl::unexpected(ok.error());
  if (auto ok = build_calls(q, {}); !ok)
    return tl::unexpected(ok.error());
  call_side side;
  side.file = "arguments.bin";
  side.huge_pages = profiles_huge_pages(q, out.image.layout.total);
  side.cold = q.task.timing.cold_cache;
  out.plan.sides = {side};
  out.plan.limit_ms = limit_ms / 4;
  out.plan.samples = 20;
  auto first = run_calls(q, out.plan);
  if (!first)
    return tl::unexpected(first.error());
  out.call_ns = first->fastest_ns(0);
  // Arguments that a call changes are restored between calls, so that such calls cannot follow each other.
  bool changes = side.cold;
  for (const auto& a : q.task.arguments)
    changes = changes || a.role == argument_role::inout;
  out.plan.repeats = changes ? 1 : repeats_for(out.call_ns);
  out.plan.limit_ms = limit_ms;
  out.plan.samples = 200;
  if (out.plan.repeats > 1) {
    auto again = run_calls(q, out.plan);
    if (!again)
      return tl::unexpected(again.error());
    out.call_ns = again->fastest_ns(0);
  }
  return out;
}

} // namespace kevolve
