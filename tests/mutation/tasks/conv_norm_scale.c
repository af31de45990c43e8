#include <math.h>
#include <stdint.h>

/* A convolution of an image, each output channel normalised over its places, scaled and clamped. */
void conv_norm_scale(const float *x, const float *filter, const float *scale, float *y, int64_t channels, int64_t outputs,
                     int64_t height, int64_t width, int64_t side, float low, float high) {
  const int64_t rows = height - side + 1;
  const int64_t cols = width - side + 1;
  for (int64_t o = 0; o < outputs; ++o) {
    float total = 0.0f;
    for (int64_t i = 0; i < rows; ++i)
      for (int64_t j = 0; j < cols; ++j) {
        float sum = 0.0f;
        for (int64_t c = 0; c < channels; ++c)
          for (int64_t u = 0; u < side; ++u)
            for (int64_t v = 0; v < side; ++v)
              sum += x[(c * height + i + u) * width + j + v] * filter[((o * channels + c) * side + u) * side + v];
        y[(o * rows + i) * cols + j] = sum;
        total += sum;
      }
    const float mean = total / (float)(rows * cols);
    float squares = 0.0f;
    for (int64_t p = 0; p < rows * cols; ++p) {
      const float d = y[o * rows * cols + p] - mean;
      squares += d * d;
    }
    const float inverse = 1.0f / sqrtf(squares / (float)(rows * cols) + 1e-3f);
    for (int64_t p = 0; p < rows * cols; ++p)
      y[o * rows * cols + p] = fminf(fmaxf((y[o * rows * cols + p] - mean) * inverse * scale[o], low), high);
  }
}
