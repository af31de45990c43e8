#include <math.h>
#include <stdint.h>

static float cumulative_normal(float x) { return 0.5f * (1.0f + erff(x * 0.70710678f)); }

/* Prices of European calls and puts. */
void black_scholes(const float *spot, const float *strike, const float *years, float *call, float *put, int64_t n,
                   float rate, float volatility) {
  for (int64_t i = 0; i < n; ++i) {
    const float root = volatility * sqrtf(years[i]);
    const float d1 = (logf(spot[i] / strike[i]) + (rate + 0.5f * volatility * volatility) * years[i]) / root;
    const float d2 = d1 - root;
    const float discounted = strike[i] * expf(-rate * years[i]);
    call[i] = spot[i] * cumulative_normal(d1) - discounted * cumulative_normal(d2);
    put[i] = discounted * cumulative_normal(-d2) - spot[i] * cumulative_normal(-d1);
  }
}
