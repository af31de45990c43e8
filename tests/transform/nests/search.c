// argument: table input i64 entries sorted
// argument: values input i64 count
// argument: ids output i64 count
// argument: entries size
// argument: count size
// sizes: entries=19 count=23
// sizes: entries=1 count=1
// sizes: entries=64 count=50
// independent: L0
// applies: jam(L0,4)
// applies: if_convert(B0); jam(L0,8)
// applies: tile(L0,8); jam(L0,3)
// declines: vectorise(L0,8): a guarded load
// declines: split_accumulators(L0,4): accumulates nothing
#include <stdint.h>
void search(const int64_t *table, const int64_t *values, int64_t *ids, int64_t entries, int64_t count) {
  for (int64_t v = 0; v < count; ++v) {
    int64_t low = 0, high = entries;
    while (low < high) {
      int64_t middle = (low + high) / 2;
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
