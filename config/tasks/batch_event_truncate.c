#include <stdint.h>

/* Nested jagged data: each user has events, each event of each feature has items. Keeps the first `keep`
   events of each user, for all features alike. Inner lengths and values stand feature by feature. */
void batch_event_truncate(const int64_t *outer, const int64_t *inner, const int64_t *values, int64_t *new_outer,
                          int64_t *new_inner, int64_t *new_values, int64_t *inner_count, int64_t *value_count,
                          int64_t users, int64_t features, int64_t keep) {
  int64_t event = 0;
  int64_t item = 0;
  int64_t kept_events = 0;
  int64_t kept_items = 0;
  for (int64_t f = 0; f < features; ++f) {
    for (int64_t u = 0; u < users; ++u) {
      int64_t kept = outer[u] < keep ? outer[u] : keep;
      new_outer[u] = kept;
      for (int64_t e = 0; e < outer[u]; ++e) {
        int64_t length = inner[event];
        if (e < kept) {
          new_inner[kept_events] = length;
          kept_events = kept_events + 1;
          for (int64_t i = 0; i < length; ++i)
            new_values[kept_items + i] = values[item + i];
          kept_items = kept_items + length;
        }
        event = event + 1;
        item = item + length;
      }
    }
  }
  inner_count[0] = kept_events;
  value_count[0] = kept_items;
}
