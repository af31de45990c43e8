#include <stdint.h>

enum { documents_in_all = 32768, block = 64 };

/* "A fixed end, then select": a block of scores is passed over if its largest beats none of the k best. It is cleared for
   the next query on the way. */
void inverted_index(const int64_t *lengths, const int64_t *begins, const int32_t *documents, const int32_t *impacts,
                    int32_t *ids, int32_t *scores, int64_t queries, int64_t words, int64_t k) {
  int32_t score[documents_in_all];
  for (int64_t d = 0; d < documents_in_all; ++d)
    score[d] = 0;
  for (int64_t q = 0; q < queries; ++q) {
    for (int64_t w = q * words; w < (q + 1) * words; ++w)
      for (int64_t p = begins[w]; p < begins[w] + lengths[w]; ++p)
        score[documents[p]] += impacts[p];
    int32_t *id = ids + q * k, *best = scores + q * k;
    for (int64_t r = 0; r < k; ++r) {
      id[r] = -1;
      best[r] = 0;
    }
    for (int64_t b = 0; b < documents_in_all; b += block) {
      int32_t largest = 0;
      for (int64_t d = 0; d < block; ++d)
        largest = score[b + d] > largest ? score[b + d] : largest;
      if (largest > best[k - 1])
        for (int64_t d = b; d < b + block; ++d) {
          const int32_t s = score[d];
          if (s <= best[k - 1])
            continue;
          int64_t r = k - 1;
          for (; r > 0 && best[r - 1] < s; --r) {
            id[r] = id[r - 1];
            best[r] = best[r - 1];
          }
          id[r] = (int32_t)d;
          best[r] = s;
        }
      for (int64_t d = b; d < b + block; ++d)
        score[d] = 0;
    }
  }
}
