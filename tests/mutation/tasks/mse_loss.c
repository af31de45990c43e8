#include <stdint.h>

/* Mean of the squared differences, summed row by row. */
void mse_loss(const float *prediction, const float *target, float *loss, int64_t rows, int64_t cols) {
  float sum = 0.0f;
  for (int64_t r = 0; r < rows; ++r) {
    float row = 0.0f;
    for (int64_t c = 0; c < cols; ++c) {
      const float d = prediction[r * cols + c] - target[r * cols + c];
      row += d * d;
    }
    sum += row;
  }
  loss[0] = sum / (float)(rows * cols);
}
