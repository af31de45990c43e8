// Forty live vectors need more registers than there are, so that many are stored and loaded in every round.
#include <immintrin.h>
#include <stdint.h>
#define EACH(DO) \
  DO(0) DO(1) DO(2) DO(3) DO(4) DO(5) DO(6) DO(7) DO(8) DO(9) DO(10) DO(11) DO(12) DO(13) DO(14) DO(15) DO(16) DO(17) \
  DO(18) DO(19) DO(20) DO(21) DO(22) DO(23) DO(24) DO(25) DO(26) DO(27) DO(28) DO(29) DO(30) DO(31) DO(32) DO(33) DO(34) \
  DO(35) DO(36) DO(37) DO(38) DO(39)
void many_sums(const double *restrict x, double *restrict y, int64_t n) {
#define BEGIN(k) __m256d s##k = _mm256_set1_pd(k * 0.01);
  EACH(BEGIN)
  for (int64_t i = 0; i < n; ++i) {
    const __m256d v = _mm256_set1_pd(x[i] * 0.1);
#define ADD(k) s##k = _mm256_fmadd_pd(s##k, v, v);
    EACH(ADD)
  }
#define END(k) _mm256_storeu_pd(y + 4 * k, s##k);
  EACH(END)
}
