/* Rows that a loop goes over several times stay in a buffer until they are done. */
// argument: x input f32 n*m
// argument: y output f32 n*m
// argument: z inout f32 n*m
// argument: t output f64 n*m
// argument: n size
// argument: m size
// sizes: n=5 m=33
// sizes: n=1 m=1
// sizes: n=3 m=64
// independent: L0 L4 L7
// applies: buffer(L0,y)
// applies: buffer(L0,y); vectorise(L1,16); vectorise(L2,16); mask(L2); vectorise(L3,16); mask(L3); stream(L0); math
// applies: buffer(L0,y); jam(L0,4)
// applies: buffer(L4,t); vectorise(L5,8); vectorise(L6,8); jam(L4,2)
// applies: math
// applies: buffer(L0,y); vectorise(L1,8); mask(L1); jam(L1,2); vectorise(L2,8); mask(L2); jam(L2,2); vectorise(L3,8); mask(L3); jam(L3,2); stream(L0); math
// declines: buffer(L0,x): runs over one row
// declines: buffer(L7,z): does not give every element of z a value first
// declines: buffer(L10,y): runs over one row
// declines: buffer(L13,y): does not end with what stays in y
// declines: buffer(L16,y): is not only used element by element
// declines: buffer(L19,y): is not only used element by element
// declines: buffer(L1,y): once
#include <math.h>
#include <stdint.h>
void buffered(const float *x, float *y, float *z, double *t, int64_t n, int64_t m) {
  for (int64_t r = 0; r < n; ++r) {
    float largest = x[r * m];
    for (int64_t c = 1; c < m; ++c) largest = fmaxf(largest, x[r * m + c]);
    float sum = 0.0f;
    for (int64_t c = 0; c < m; ++c) {
      y[r * m + c] = expf(x[r * m + c] - largest);
      sum += y[r * m + c];
    }
    for (int64_t c = 0; c < m; ++c) y[r * m + c] = y[r * m + c] / sum;
  }
  for (int64_t r = 0; r < n; ++r) { /* updated, by another index */
    for (int64_t a = 0; a < m; ++a) t[r * m + a] = (double)x[r * m + a] * 2.0;
    for (int64_t b = 0; b < m; ++b) t[r * m + b] *= (double)x[r * m + b] + t[r * m + b];
  }
  for (int64_t r = 0; r < n; ++r) { /* what was there is used */
    for (int64_t c = 0; c < m; ++c) z[r * m + c] += x[r * m + c];
    for (int64_t c = 0; c < m; ++c) z[r * m + c] *= 0.5f;
  }
  for (int64_t r = 0; r < n; ++r) { /* the rest of the row keeps what it had */
    for (int64_t c = 0; c < m; ++c) y[r * m + c] += 0.25f * x[r * m + c];
    for (int64_t c = 0; c < m / 2; ++c) y[r * m + c] *= 0.5f;
  }
  for (int64_t r = 0; r < n; ++r) { /* only some are stored again */
    for (int64_t c = 0; c < m; ++c) y[r * m + c] = x[r * m + c];
    for (int64_t c = 0; c < m; ++c)
      if (x[r * m + c] > 0.0f) y[r * m + c] *= 0.5f;
  }
  for (int64_t r = 0; r < n; ++r) { /* another row the second time */
    int64_t at = r * m;
    for (int64_t c = 0; c < m; ++c) y[at + c] = x[r * m + c];
    at = r % 2 == 0 ? at : (r - 1) * m;
    for (int64_t c = 0; c < m; ++c) y[at + c] = y[at + c] * 0.5f;
  }
  for (int64_t r = 0; r < n; ++r) { /* a neighbour */
    for (int64_t c = 0; c < m; ++c) y[r * m + c] = x[r * m + c];
    for (int64_t c = 0; c < m; ++c) y[r * m + c] = y[r * m + c] + y[r * m + (c > 0 ? c - 1 : 0)];
  }
}
