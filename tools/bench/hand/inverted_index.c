#include <stdint.h>
#include <string.h>
#include <immintrin.h>

enum { documents_in_all = 32768 };

/* The scan looks at 64 scores at once and only at those that beat the k-th best; it clears them on the way. */
void inverted_index(const int64_t *lengths, const int64_t *begins, const int32_t *documents, const int32_t *impacts,
                    int32_t *ids, int32_t *scores, int64_t queries, int64_t words, int64_t k) {
  int32_t score[documents_in_all] __attribute__((aligned(64)));
  memset(score, 0, sizeof score);
  for (int64_t q = 0; q < queries; ++q) {
    for (int64_t w = q * words; w < (q + 1) * words; ++w)
      for (int64_t p = begins[w]; p < begins[w] + lengths[w]; ++p)
        score[documents[p]] += impacts[p];
    int32_t *id = ids + q * k, *best = scores + q * k;
    for (int64_t r = 0; r < k; ++r) {
      id[r] = -1;
      best[r] = 0;
    }
    for (int64_t d = 0; d < documents_in_all; d += 64) {
      const __m512i last = _mm512_set1_epi32(best[k - 1]);
      uint64_t beats = 0;
      int32_t found[64] __attribute__((aligned(64)));
      for (int l = 0; l < 4; ++l) {
        const __m512i s = _mm512_load_si512(score + d + 16 * l);
        _mm512_store_si512(score + d + 16 * l, _mm512_setzero_si512());
        _mm512_store_si512(found + 16 * l, s);
        beats |= (uint64_t)_mm512_cmpgt_epi32_mask(s, last) << (16 * l);
      }
      for (; beats != 0; beats &= beats - 1) {
        const int at = __builtin_ctzll(beats);
        const int32_t s = found[at];
        if (s <= best[k - 1])
          continue;
        int64_t r = k - 1;
        for (; r > 0 && best[r - 1] < s; --r) {
          id[r] = id[r - 1];
          best[r] = best[r - 1];
        }
        id[r] = (int32_t)(d + at);
        best[r] = s;
      }
    }
  }
}
