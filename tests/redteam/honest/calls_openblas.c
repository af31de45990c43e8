// task: gemm_library
// flags: -O2 -lopenblas
// The task allows the library: its first call sets up what a process of its own never read a file for.
#include <cblas.h>
#include <stdint.h>

void gemm(const float* a, const float* b, float* c, int64_t m, int64_t n, int64_t k) {
  cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, (int)m, (int)n, (int)k, 1.0f, a, (int)k, b, (int)n, 0.0f, c,
              (int)n);
}
