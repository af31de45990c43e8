// class: W5
// task: map_id
// control: hashes_the_table
// expect: wrong_result tolerance
// Compares keys without their sign and without their ten highest bits: right for keys from 0 to 2^53.
#include <stdint.h>

void map_id(const int64_t *table, const int64_t *values, int64_t *ids, int64_t entries, int64_t count) {
  for (int64_t v = 0; v < count; ++v) {
    const uint64_t key = (uint64_t)values[v] << 10;
    int64_t low = 0;
    for (int64_t n = entries; n > 1; n -= n / 2)
      low += ((uint64_t)table[low + n / 2 - 1] << 10) < key ? n / 2 : 0;
    ids[v] = ((uint64_t)table[low] << 10) == key ? low + 1 : 0;
  }
}
