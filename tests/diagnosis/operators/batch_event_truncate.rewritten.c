#include <stdint.h>
#include <string.h>

/* "A first pass, then one that combines": the lengths are summed first, then what a user keeps is copied as two runs. */
void batch_event_truncate(const int64_t *outer, const int64_t *inner, const int64_t *values, int64_t *new_outer,
                          int64_t *new_inner, int64_t *new_values, int64_t *inner_count, int64_t *value_count,
                          int64_t users, int64_t features, int64_t keep) {
  int64_t kept_events = 0, kept_items = 0;
  for (int64_t f = 0; f < features; ++f)
    for (int64_t u = 0; u < users; ++u) {
      const int64_t kept = outer[u] < keep ? outer[u] : keep;
      int64_t items = 0, dropped = 0;
      for (int64_t e = 0; e < kept; ++e)
        items += inner[e];
      for (int64_t e = kept; e < outer[u]; ++e)
        dropped += inner[e];
      new_outer[u] = kept;
      memcpy(new_inner + kept_events, inner, (size_t)kept * sizeof *inner);
      memcpy(new_values + kept_items, values, (size_t)items * sizeof *values);
      kept_events += kept;
      kept_items += items;
      inner += outer[u];
      values += items + dropped;
    }
  inner_count[0] = kept_events;
  value_count[0] = kept_items;
}
