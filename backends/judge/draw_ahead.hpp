// Draws the data of coming sets on other cores while the reference works on this one. What is drawn hangs on its
// options alone, so that nothing tells who drew it.
#pragma once

#include "backends/judge/call_data.hpp"

#include <deque>
#include <functional>
#include <future>

namespace kevolve {

struct drawn_call {
  call_data data;
  call_data wide;         // promoted, if that was asked for
  uint64_t placement = 0; // of its options
};

class draw_ahead {
public:
  // `options_of` is asked on the calling thread, in order. `threads` 0: everything is drawn when it is wanted.
  draw_ahead(const contract& task, const shape_case& shape, bool promote, size_t threads,
             std::function<draw_options(size_t)> options_of)
      : task_(task), shape_(shape), promote_(promote), threads_(threads), options_of_(std::move(options_of)) {}

  // Set `i`, each once and in order; sets beyond it are begun as far as `most` in all.
  result<drawn_call> take(size_t i, size_t most);
  // What options_of says has changed, from set `i` on.
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
  size_t next_ = 0; // the first that is not begun
};

} // namespace kevolve
