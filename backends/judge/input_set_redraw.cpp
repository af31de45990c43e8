#include "backends/judge/input_set_maker.hpp"
#include "backends/judge/random_stream.hpp"
#include "runtime/base/fault_kinds.hpp"

namespace kevolve {

// The old values go first, so that both never lie in memory together. A set that is left without values is another
// request's, too: the cache then drops its sets.
attempt<void> input_set_maker::redraw(const std::shared_ptr<const input_sets>& inputs, size_t set) {
  const auto mutable_inputs = std::const_pointer_cast<input_sets>(inputs); // get() made it
  const auto room = inputs->largest_layout();                              // the processes have mapped no more
  auto& place = mutable_inputs->sets.at(set);
  const auto number = place.number;
  const auto fresh = [&]() -> attempt<input_set> {
    for (size_t tries = 0; tries <= most_redrawn; ++tries) {
      auto options = fresh_draw(request_);
      if (request_.seed != 0)
        options.seed = mix_seed(request_.seed, number * (most_redrawn + 1) + tries);
      options.placement = set % 2 == 0 || tries > 0 ? 0 : options.seed;
      const bool on_device = there(inputs->shape, edge_kind::none);
      if (on_device)
        device_->forget(place);
      place = input_set{};
      if (on_device) {
        auto out = make_there(inputs->shape, options, may_differ(request_.task), nullptr, nullptr);
        if (out && out->layout.total > room)
          continue;
        if (!out || find_not_finite(request_.task, *out).which.empty())
          return out;
        continue;
      }
      auto drawn = draw_ahead::draw(request_.task, inputs->shape, !request_.oracle.empty(), options);
      if (drawn && lay_out(request_.task, drawn->data.geometries, drawn->placement).total > room)
        continue;
      auto out = finish_set(inputs->shape, std::move(drawn), may_differ(request_.task), nullptr, nullptr);
      if (!out || find_not_finite(request_.task, *out).which.empty())
        return out;
    }
    return infrastructure(fault_kind::internal,
                          "no new values of shape '" + inputs->shape.name + "' fit where the old ones were");
  };
  auto out = fresh();
  if (!out) {
    cache_.forget(inputs);
    return tl::unexpected<evaluation_error>(out.error());
  }
  place = std::move(*out);
  return {};
}

} // namespace kevolve
