// task: map_id
// Guesses by interpolation, and searches on wherever the guess was wrong: right on every table.
#include <stdint.h>

static int64_t lower_bound(const int64_t *t, int64_t low, int64_t high, int64_t v) {
  while (low < high) {
    int64_t middle = low + (high - low) / 2;
    if (t[middle] < v)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

void map_id(const int64_t *table, const int64_t *values, int64_t *ids, int64_t entries, int64_t count) {
  int64_t first = table[0];
  double per_value = entries > 1 ? (double)(entries - 1) / (double)(table[entries - 1] - first) : 0.0;
  for (int64_t v = 0; v < count; ++v) {
    int64_t x = values[v];
    double guess = ((double)x - (double)first) * per_value;
    int64_t at = guess < 0 ? 0 : guess >= (double)entries ? entries - 1 : (int64_t)guess;
    int64_t low = table[at] < x ? lower_bound(table, at + 1, entries, x) : lower_bound(table, 0, at, x);
    if (low > entries - 1)
      low = entries - 1;
    ids[v] = table[low] == x ? low + 1 : 0;
  }
}
