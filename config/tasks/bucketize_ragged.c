#include <stdint.h>

/* For each value the number of its feature's borders below it; features differ in how many of both they have. */
void bucketize_ragged(const int64_t *lengths, const int64_t *border_lengths, const int64_t *borders,
                      const int64_t *values, int64_t *bins, int64_t features) {
  int64_t value = 0;
  int64_t first = 0;
  for (int64_t f = 0; f < features; ++f) {
    for (int64_t i = 0; i < lengths[f]; ++i) {
      int64_t low = 0;
      int64_t high = border_lengths[f];
      while (low < high) {
        int64_t middle = low + (high - low) / 2;
        if (borders[first + middle] < values[value + i])
          low = middle + 1;
        else
          high = middle;
      }
      bins[value + i] = low;
    }
    value = value + lengths[f];
    first = first + border_lengths[f];
  }
}
