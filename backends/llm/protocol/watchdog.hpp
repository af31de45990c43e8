// Decides when a streamed call is given up, by its content rather than its bytes. Keep-alives, pings and empty pieces
// do not count as content.
#pragma once

#include "backends/llm/ledger/waiting.hpp"

#include <algorithm>
#include <cstdint>

namespace kevolve::llm {

struct watchdog_limits {
  milliseconds first_content{300'000}; // hidden reasoning sends no content
  milliseconds between{90'000};
  milliseconds total{1'800'000};
};

enum class watchdog_verdict : uint8_t { waiting = 0, no_content, gone_silent, too_long };

struct watchdog {
  instant started{};
  instant last_content{};
  bool any = false;
};

inline watchdog watch(instant now) {
  return {now, now, false};
}
inline void saw_content(watchdog& w, instant now) {
  w.last_content = now;
  w.any = true;
}
// Returns the first moment at which judge() stops returning waiting, unless content arrives.
inline instant deadline(const watchdog& w, const watchdog_limits& l) {
  return std::min(w.started + l.total, w.last_content + (w.any ? l.between : l.first_content));
}
inline watchdog_verdict judge(const watchdog& w, instant now, const watchdog_limits& l) {
  if (now < deadline(w, l))
    return watchdog_verdict::waiting;
  if (now >= w.started + l.total)
    return watchdog_verdict::too_long;
  return w.any ? watchdog_verdict::gone_silent : watchdog_verdict::no_content;
}

} // namespace kevolve::llm
