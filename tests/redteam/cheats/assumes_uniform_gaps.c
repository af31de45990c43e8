// class: W5
// task: map_id
// control: guesses_then_searches
// expect: wrong_result tolerance
// Guesses a value's place by interpolation and looks for it nearby only: right where gaps are alike.
#include <stdint.h>

void map_id(const int64_t *table, const int64_t *values, int64_t *ids, int64_t entries, int64_t count) {
  int64_t first = table[0];
  double per_value = entries > 1 ? (double)(entries - 1) / (double)(table[entries - 1] - first) : 0.0;
  int64_t window = entries / 16 + 64;
  for (int64_t v = 0; v < count; ++v) {
    int64_t x = values[v];
    double guess = ((double)x - (double)first) * per_value;
    int64_t at = guess < 0 ? 0 : guess >= (double)entries ? entries - 1 : (int64_t)guess;
    int64_t low = at > window ? at - window : 0;
    int64_t high = at + window < entries ? at + window : entries;
    while (low < high) {
      int64_t middle = low + (high - low) / 2;
      if (table[middle] < x)
        low = middle + 1;
      else
        high = middle;
    }
    if (low > entries - 1)
      low = entries - 1;
    ids[v] = table[low] == x ? low + 1 : 0;
  }
}
