// argument: x input i32 n
// argument: w input i32 5
// argument: y output i32 n
// argument: n size
// sizes: n=37
// sizes: n=1
// declines: vectorise(L0,8): a guarded load
#include <stdint.h>
void loaded_before(const int32_t *x, const int32_t *w, int32_t *y, int64_t n) {
  for (int64_t i = 0; i < n; ++i) {
    int32_t s = 0;
    int64_t k = 0;
    for (int64_t j = 0; j < 5; ++j) {
      s += w[k];
      k = k + 1; /* from here on w[k] is another element */
      if (x[i] > 40 && k < 5)
        s += w[k] * 2;
    }
    y[i] = s;
  }
}
