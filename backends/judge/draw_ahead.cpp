#include "backends/judge/draw_ahead.hpp"

namespace kevolve {

result<drawn_call> draw_ahead::draw(const contract& task, const shape_case& shape, bool promote,
                                    const draw_options& options) {
  auto data = draw_call(task, shape, options);
  if (!data)
    return tl::unexpected<failure>(data.error());
  drawn_call out;
  out.data = std::move(*data);
  out.placement = options.placement;
  if (promote)
    out.wide = promoted(task, out.data);
  return out;
}

result<drawn_call> draw_ahead::take(size_t i, size_t most) {
  // The first set is drawn without threads: while it is used, processes are started, which must not happen beside our
  // threads.
  if (i == 0 || threads_ == 0) {
    next_ = i + 1;
    return draw(task_, shape_, promote_, options_of_(i));
  }
  for (; next_ < most && next_ < i + threads_; ++next_)
    coming_.push_back(std::async(
        std::launch::async, [this, options = options_of_(next_)] { return draw(task_, shape_, promote_, options); }));
  if (coming_.empty()) {
    next_ = i + 1;
    return draw(task_, shape_, promote_, options_of_(i));
  }
  auto first = std::move(coming_.front());
  coming_.pop_front();
  return first.get();
}

void draw_ahead::forget(size_t i) {
  coming_.clear();
  next_ = i;
}

} // namespace kevolve
