#include "backends/judge/device_demand.hpp"

#include "backends/judge/call_data.hpp"
#include "backends/judge/figure.hpp"
#include "runtime/base/kinds.hpp"

#include <algorithm>

namespace kevolve {

namespace {

constexpr double gib = 0x1.0p30;

// Seconds on an H200; docs/results/gpu.md says how they were measured.
constexpr double start_seconds = 11.0;      // PyTorch, contexts, small draws of an admission
constexpr double first_seconds_a_gib = 2.5; // an admission looks at its sets on the host
constexpr double usual_candidate = 0.2;     // contexts, calls of small shapes
constexpr double candidate_seconds_a_gib = 0.25;
constexpr double usual_confirmation = 1.0; // long runs, adversarial draws, edges of small shapes
constexpr double confirm_seconds_a_gib = 0.8;
// The same where inputs are drawn on the host and copied.
constexpr double host_seconds_a_gib = 100.0;

// Bytes of a shape's arrays, in the forms in which they lie on the device.
struct array_bytes {
  double inputs = 0.0;
  double widened = 0.0; // inputs for an oracle in double
  double outputs = 0.0;
  double expected = 0.0;

  double arrays() const { return inputs + outputs; }
  // Adds up two sets, with the reference's outputs; the pool, and what the oracle works in; the arena, and what is kept
  // of it.
  double on_device() const {
    return 2.0 * (inputs + expected + outputs) + (inputs + expected) + (widened + 2.0 * expected) + 2.0 * arrays();
  }
};

array_bytes bytes_of(const contract& task, const call_data& outline) {
  array_bytes out;
  for (size_t i = 0; i < task.arguments.size(); ++i) {
    const auto& a = task.arguments[i];
    if (!is_array(a))
      continue;
    const auto& g = outline.geometries[i];
    const auto wide = a.type == dtype::f16 || a.type == dtype::f32 ? 8.0 : static_cast<double>(size_bytes(a.type));
    const auto own = static_cast<double>(g.bytes());
    if (is_read(a)) {
      out.inputs += own;
      out.widened += static_cast<double>(g.count) * wide;
    }
    if (is_written(a)) {
      out.outputs += is_read(a) ? 0.0 : own;
      out.expected += static_cast<double>(g.count) * wide;
    }
  }
  return out;
}

} // namespace

std::optional<device_demand> demand_of(const contract& task) {
  device_demand out;
  double all = 0.0;
  double compared = 0.0;
  bool any = false;
  for (const auto& shape : task.shapes) {
    const auto outline = outline_call(task, shape);
    if (!outline)
      continue;
    any = true;
    const auto bytes = bytes_of(task, *outline);
    all += bytes.arrays();
    compared += shape.held_out ? 0.0 : bytes.arrays();
    if (bytes.on_device() > out.memory_bytes) {
      out.memory_bytes = bytes.on_device();
      out.shape = shape.name;
    }
  }
  if (!any)
    return std::nullopt;
  out.drawn_on_device = !is_native(task.language)
                        && std::none_of(task.arguments.begin(), task.arguments.end(),
                                        [](const auto& a) { return a.nonfinite_match || !a.extent.empty(); });
  const auto first = out.drawn_on_device ? first_seconds_a_gib : host_seconds_a_gib;
  out.first_seconds = start_seconds + first * all / gib;
  out.candidate_seconds = usual_candidate + candidate_seconds_a_gib * compared / gib;
  out.confirm_seconds =
      usual_confirmation + (out.drawn_on_device ? confirm_seconds_a_gib : host_seconds_a_gib) * all / gib;
  return out;
}

std::string to_string(const device_demand& d) {
  return "about " + figure(d.first_seconds, 2) + " s until the first verdict, " + figure(d.candidate_seconds, 2)
         + " s a further candidate, " + figure(d.confirm_seconds, 2) + " s a confirmation; needs "
         + figure(d.memory_bytes / gib, 3) + " GiB of its memory, on shape '" + d.shape + "'";
}

} // namespace kevolve
