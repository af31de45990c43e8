#include <math.h>
#include <stdint.h>

/* Acceleration of each body by the gravity of all, with softening. */
void n_body(const float *x, const float *y, const float *z, const float *mass, float *ax, float *ay, float *az, int64_t n,
            float softening) {
  for (int64_t i = 0; i < n; ++i) {
    float sx = 0.0f, sy = 0.0f, sz = 0.0f;
    for (int64_t j = 0; j < n; ++j) {
      const float dx = x[j] - x[i];
      const float dy = y[j] - y[i];
      const float dz = z[j] - z[i];
      const float r2 = dx * dx + dy * dy + dz * dz + softening;
      const float inverse = 1.0f / sqrtf(r2);
      const float f = mass[j] * inverse * inverse * inverse;
      sx += dx * f;
      sy += dy * f;
      sz += dz * f;
    }
    ax[i] = sx;
    ay[i] = sy;
    az[i] = sz;
  }
}
