#include <stdint.h>

/* Position from 1 of each value in a sorted table of unique ids, 0 where the table lacks it. */
void map_id(const int64_t *table, const int64_t *values, int64_t *ids, int64_t entries, int64_t count) {
  for (int64_t v = 0; v < count; ++v) {
    int64_t low = 0;
    int64_t high = entries;
    while (low < high) {
      int64_t middle = low + (high - low) / 2;
      if (table[middle] < values[v])
        low = middle + 1;
      else
        high = middle;
    }
    if (low > entries - 1)
      low = entries - 1;
    ids[v] = table[low] == values[v] ? low + 1 : 0;
  }
}
