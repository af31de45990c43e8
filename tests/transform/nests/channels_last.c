// argument: x input f32 batch*time*chan
// argument: decay input f32 chan
// argument: y output f32 batch*time*chan
// argument: last output f32 batch*chan
// argument: z output f32 batch*time*chan zero
// argument: batch size
// argument: time size
// argument: chan size
// sizes: batch=2 time=5 chan=37
// sizes: batch=1 time=1 chan=1
// sizes: batch=3 time=4 chan=16
// independent: L0 L1 L2 L4 L5
// carried: L3
// applies: vectorise(L1,16); mask(L1)
// applies: vectorise(L1,8); jam(L1,2)
// applies: jam(L1,3)
// applies: vectorise(L4,16); mask(L4)
// declines: jam(L3,2): iterations may meet in z
#include <stdint.h>
/* A recurrence over time beside others: another channel is another place, whatever the time is. */
void channels_last(const float *x, const float *decay, float *y, float *last, float *z, int64_t batch, int64_t time,
                   int64_t chan) {
  for (int64_t b = 0; b < batch; b++)
    for (int64_t c = 0; c < chan; c++) {
      float s = 0.0f;
      for (int64_t t = 0; t < time; t++) {
        s = decay[c] * s + (1.0f - decay[c]) * x[(b * time + t) * chan + c];
        y[(b * time + t) * chan + c] = s;
      }
      last[b * chan + c] = s;
    }
  for (int64_t c = 0; c < chan; c++) /* not below chan: the digits carry */
    for (int64_t t = 0; t + 1 < time; t++)
      z[t * chan + c + t] += y[t * chan + c];
  for (int64_t c = 0; c < chan; c++)
    for (int64_t t = 0; t < time; t++) {
      const float v = x[t * chan + c];
      z[t * chan + c] += time > 3 ? v / (float)time : v;
    }
}
