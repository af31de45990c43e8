// task: map_id
// Builds a hash table in every call, from the table of that call.
#include <stdint.h>
#include <stdlib.h>

void map_id(const int64_t *table, const int64_t *values, int64_t *ids, int64_t entries, int64_t count) {
  size_t slots = 16;
  while (slots < (size_t)entries * 2)
    slots *= 2;
  int64_t *at = calloc(slots, sizeof *at);
  if (at == 0)
    abort();
  for (int64_t i = 0; i < entries; ++i) {
    size_t h = (size_t)((uint64_t)table[i] * 0x9e3779b97f4a7c15u >> 32) & (slots - 1);
    while (at[h] != 0)
      h = (h + 1) & (slots - 1);
    at[h] = i + 1;
  }
  for (int64_t v = 0; v < count; ++v) {
    size_t h = (size_t)((uint64_t)values[v] * 0x9e3779b97f4a7c15u >> 32) & (slots - 1);
    while (at[h] != 0 && table[at[h] - 1] != values[v])
      h = (h + 1) & (slots - 1);
    ids[v] = at[h];
  }
  free(at);
}
