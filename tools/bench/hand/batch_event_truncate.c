#include <stdint.h>
#include <string.h>
#include <immintrin.h>

static int64_t total(const int64_t *p, int64_t n) {
  __m512i s = _mm512_setzero_si512(), t = s;
  int64_t i = 0;
  for (; i + 16 <= n; i += 16) {
    s = _mm512_add_epi64(s, _mm512_loadu_si512(p + i));
    t = _mm512_add_epi64(t, _mm512_loadu_si512(p + i + 8));
  }
  int64_t sum = _mm512_reduce_add_epi64(_mm512_add_epi64(s, t));
  for (; i < n; ++i)
    sum += p[i];
  return sum;
}

/* What a user keeps of a feature stands together: two copies of runs and two sums, no loop over events. */
void batch_event_truncate(const int64_t *outer, const int64_t *inner, const int64_t *values, int64_t *new_outer,
                          int64_t *new_inner, int64_t *new_values, int64_t *inner_count, int64_t *value_count,
                          int64_t users, int64_t features, int64_t keep) {
  int64_t kept_events = 0, kept_items = 0;
  for (int64_t f = 0; f < features; ++f)
    for (int64_t u = 0; u < users; ++u) {
      const int64_t kept = outer[u] < keep ? outer[u] : keep;
      new_outer[u] = kept;
      const int64_t items = total(inner, kept), dropped = total(inner + kept, outer[u] - kept);
      for (int64_t e = 0; e < kept; e += 8) {
        const __mmask8 k = kept - e >= 8 ? 0xff : (__mmask8)((1u << (kept - e)) - 1);
        _mm512_mask_storeu_epi64(new_inner + kept_events + e, k, _mm512_maskz_loadu_epi64(k, inner + e));
      }
      /* Aligned stores past the caches, after the few that come before the first whole line. */
      int64_t *to = new_values + kept_items;
      int64_t i = 0;
      for (; i < items && ((uintptr_t)(to + i) & 63) != 0; ++i)
        to[i] = values[i];
      for (; i + 8 <= items; i += 8)
        _mm512_stream_si512((__m512i *)(to + i), _mm512_loadu_si512(values + i));
      for (; i < items; ++i)
        to[i] = values[i];
      kept_events += kept;
      kept_items += items;
      inner += outer[u];
      values += items + dropped;
    }
  inner_count[0] = kept_events;
  value_count[0] = kept_items;
  _mm_sfence();
}
