// Draws the data of coming input sets on other cores while the reference runs on this one. The data depend on their
// options only, not on the thread that draws them.
#pragma once

#include "backends/judge/call_data.hpp"

#include <deque>
#include <functional>
#include <future>

namespace kevolve {

struct drawn_call {
  call_data data;
  call_data wide;         // the promoted call, if requested
  uint64_t placement = 0; // placement from its options
};

class draw_ahead {
public:
  // `options_of` is called on the calling thread, in order. With `threads` 0, a set is drawn when it is taken.
  draw_ahead(const contract& task, const shape_case& shape, bool promote, size_t threads,
             std::function<draw_options(size_t)> options_of)
      : task_(task), shape_(shape), promote_(promote), threads_(threads), options_of_(std::move(options_of)) {}

  // Returns set `i`; each may be taken once, in order. Starts later sets, up to `most` in total.
  result<drawn_call> take(size_t i, size_t most);
  // Discards the sets from `i` on, because the results of `options_of` have changed.
  void forget(size_t i);

  static result<drawn_call> draw(const contract& task, const shape_case& shape, bool promote,
                                 const draw_options& options);

private:
  const contract& task_;
  const shape_case& shape_;
  bool promote_;
  size_t threads_;
  std::function<draw_options(size_t)> options_of_;
  std::deque<std::future<result<drawn_call>>> coming_;
  size_t next_ = 0; // the first set not started yet
};

} // namespace kevolve
