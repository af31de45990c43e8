// argument: x input f32 m*n
// argument: y output f32 6*m
// argument: m size
// argument: n size
// sizes: m=5 n=37
// sizes: m=2 n=2
// sizes: m=1 n=1
// carried: L0 L3 L6 L8 L10 L13
// declines: jam(L0,2): iterations may meet in once
// declines: jam(L3,2): iterations may meet in shorter
// declines: jam(L6,2): iterations may meet in before
// declines: jam(L8,2): iterations may meet in mirrored
// declines: jam(L10,2): iterations may meet in left
// declines: jam(L13,2): iterations may meet in fading
#include <stdint.h>
void shared_arrays(const float *x, float *y, int64_t m, int64_t n) {
  float once[n], shorter[n], before[n], mirrored[n], left[n], fading[n];
  for (int64_t i = 0; i < m; ++i) { /* filled by the first iteration alone */
    if (i == 0)
      for (int64_t j = 0; j < n; ++j)
        once[j] = x[i * n + j];
    float sum = 0.0f;
    for (int64_t j = 0; j < n; ++j)
      sum += once[j];
    y[i] = sum;
  }
  for (int64_t i = 0; i < m; ++i) { /* each fills less */
    for (int64_t j = 0; j < n - i; ++j)
      shorter[j] = x[i * n + j];
    float sum = 0.0f;
    for (int64_t j = 0; j < n; ++j)
      sum += shorter[j];
    y[m + i] = sum;
  }
  for (int64_t i = 0; i < m; ++i) { /* read, then filled */
    float sum = 0.0f;
    for (int64_t j = 0; j < n; ++j) {
      sum += i > 0 ? before[j] : 0.0f;
      before[j] = x[i * n + j];
    }
    y[2 * m + i] = sum;
  }
  for (int64_t i = 0; i < m; ++i) { /* another element than the one just filled */
    float sum = 0.0f;
    for (int64_t j = 0; j < n; ++j) {
      mirrored[j] = x[i * n + j];
      sum += i > 0 || 2 * j >= n - 1 ? mirrored[n - 1 - j] : 0.0f;
    }
    y[3 * m + i] = sum;
  }
  for (int64_t i = 0; i < m; ++i) { /* the filling is left early */
    for (int64_t j = 0; j < n; ++j) {
      if (i > 0 && j > 1)
        break;
      left[j] = x[i * n + j];
    }
    float sum = 0.0f;
    for (int64_t j = 0; j < n; ++j)
      sum += left[j];
    y[4 * m + i] = sum;
  }
  for (int64_t i = 0; i < m; ++i) { /* the later ones fill nothing */
    for (int64_t a = 0; a < 2 - i; ++a)
      for (int64_t j = 0; j < n; ++j)
        fading[j] = x[i * n + j] + (float)a;
    float sum = 0.0f;
    for (int64_t j = 0; j < n; ++j)
      sum += fading[j];
    y[5 * m + i] = sum;
  }
}
