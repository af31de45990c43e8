#include <stdint.h>

/* Document ids lie below this. */
enum { documents_in_all = 32768 };

/* The k documents of each query whose words' posting lists give them the largest sums of impacts, best first; of equal
   ones the lower id first. What is missing has id -1 and score 0. */
void inverted_index(const int64_t *lengths, const int64_t *begins, const int32_t *documents, const int32_t *impacts,
                    int32_t *ids, int32_t *scores, int64_t queries, int64_t words, int64_t k) {
  int32_t score[documents_in_all];
  for (int64_t q = 0; q < queries; ++q) {
    for (int64_t d = 0; d < documents_in_all; ++d)
      score[d] = 0;
    for (int64_t w = q * words; w < (q + 1) * words; ++w)
      for (int64_t p = begins[w]; p < begins[w] + lengths[w]; ++p)
        score[documents[p]] += impacts[p];
    for (int64_t r = 0; r < k; ++r) {
      ids[q * k + r] = -1;
      scores[q * k + r] = 0;
    }
    for (int64_t d = 0; d < documents_in_all; ++d) {
      const int32_t s = score[d];
      if (s > scores[q * k + k - 1]) {
        int64_t r = k - 1;
        while (r > 0 && scores[q * k + r - 1] < s) {
          ids[q * k + r] = ids[q * k + r - 1];
          scores[q * k + r] = scores[q * k + r - 1];
          r = r - 1;
        }
        ids[q * k + r] = (int32_t)d;
        scores[q * k + r] = s;
      }
    }
  }
}
