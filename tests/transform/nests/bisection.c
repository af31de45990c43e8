// argument: starts input i64 n small
// argument: borders input i32 m sorted
// argument: x input i32 n
// argument: y output i64 n
// argument: z output i32 n
// argument: n size
// argument: m size
// sizes: n=23 m=17
// sizes: n=9 m=64
// sizes: n=1 m=1
// independent: L0 L1
// applies: halve(W0)
// applies: halve(W0); jam(L0,4)
// applies: jam(L0,3); halve(W0)
// applies: halve(W1); jam(L1,4)
// applies: halve(W0); halve(W1); unroll(L0,2)
// declines: halve(W2): is no binary search
// declines: halve(W3): last is not declared beside W3
// declines: halve(W4): end is not declared beside W4
#include <stdint.h>
void bisection(const int64_t *starts, const int32_t *borders, const int32_t *x, int64_t *y, int32_t *z, int64_t n,
               int64_t m) {
  for (int64_t i = 0; i < n; ++i) {
    int64_t low = 0;
    int64_t high = m;
    while (low < high) {
      int64_t middle = low + (high - low) / 2;
      if (borders[middle] < x[i])
        low = middle + 1;
      else
        high = middle;
    }
    y[i] = low;
  }
  for (int64_t i = 0; i < n; ++i) {
    uint32_t a = (uint32_t)(starts[i] % 3);
    uint32_t b = (uint32_t)m;
    while (a < b) {
      const uint32_t at = (a + b) >> 1;
      if (borders[at] >= x[i])
        b = at;
      else
        a = at + 1;
    }
    z[i] = (int32_t)a;
  }
  for (int64_t i = 0; i < n; ++i) {
    int64_t low = 0;
    int64_t high = m;
    while (low < high) {
      int64_t third = low + (high - low) / 3;
      if (borders[third] < x[i])
        low = third + 1;
      else
        high = third;
    }
    int64_t first = 0;
    int64_t last = m;
    while (first < last) {
      int64_t middle = first + (last - first) / 2;
      if (borders[middle] < x[i])
        first = middle + 1;
      else
        last = middle;
    }
    int64_t begin = 0;
    int64_t end = m;
    int64_t span = end + 1;
    while (begin < end) {
      int64_t middle = begin + (end - begin) / 2;
      if (borders[middle] < x[i])
        begin = middle + 1;
      else
        end = middle;
    }
    y[i] += low + first + last + begin + span;
  }
}
