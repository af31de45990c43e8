// class: W5
// task: map_id
// control: hashes_the_table
// expect: wrong_result tolerance
// Compares the high bits only: right where nothing that is not in the table comes near to what is.
#include <stdint.h>

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
    if (low > 0 && values[v] - table[low - 1] < 4)
      --low;
    uint64_t off = (uint64_t)(values[v] - table[low]);
    ids[v] = off + 3 < 7 ? low + 1 : 0;
  }
}
