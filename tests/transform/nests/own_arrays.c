// argument: x input f32 m*n
// argument: y output f32 m*n
// argument: z output f32 m
// argument: m size
// argument: n size
// sizes: m=5 n=37
// sizes: m=1 n=1
// independent: L0 L3
// applies: jam(L0,2)
// applies: vectorise(L1,8); mask(L1); vectorise(L2,8); jam(L0,4)
// applies: jam(L3,2); unroll(L5,2)
// applies: vectorise(L5,8); jam(L3,4)
// applies: transpose(square)
// applies: vectorise(L0,8)
#include <stdint.h>
void own_arrays(const float *x, float *y, float *z, int64_t m, int64_t n) {
  float row[n];
  float square[8 * 8];
  for (int64_t i = 0; i < m; ++i) { /* a row that each iteration fills first */
    float most = x[i * n];
    for (int64_t j = 0; j < n; ++j) {
      row[j] = x[i * n + j] * 2.0f;
      most = row[j] > most ? row[j] : most;
    }
    for (int64_t k = 0; k < n; ++k)
      y[i * n + k] = row[k] - most;
  }
  for (int64_t i = 0; i < m; ++i) { /* and a square, read along its columns */
    for (int64_t a = 0; a < 8; ++a)
      for (int64_t b = 0; b < 8; ++b)
        square[a * 8 + b] = x[i * n] + (float)(a * b);
    float sum = 0.0f;
    for (int64_t c = 0; c < 8; ++c)
      for (int64_t d = 0; d < 8; ++d)
        sum += square[d * 8 + c] * (float)c;
    z[i] = sum;
  }
}
