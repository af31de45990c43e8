#include <stdint.h>

/* y[b,o,i,j] = sum over channels and the filter's square of x[b,c,i+u,j+v] filter[o,c,u,v]; no padding. */
void conv2d(const float *x, const float *filter, float *y, int64_t batch, int64_t channels, int64_t outputs,
            int64_t height, int64_t width, int64_t side) {
  const int64_t rows = height - side + 1;
  const int64_t cols = width - side + 1;
  for (int64_t b = 0; b < batch; ++b)
    for (int64_t o = 0; o < outputs; ++o)
      for (int64_t i = 0; i < rows; ++i)
        for (int64_t j = 0; j < cols; ++j) {
          float sum = 0.0f;
          for (int64_t c = 0; c < channels; ++c)
            for (int64_t u = 0; u < side; ++u)
              for (int64_t v = 0; v < side; ++v)
                sum += x[((b * channels + c) * height + i + u) * width + j + v]
                       * filter[((o * channels + c) * side + u) * side + v];
          y[((b * outputs + o) * rows + i) * cols + j] = sum;
        }
}
