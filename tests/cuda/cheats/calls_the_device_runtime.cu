/* launch plan
[[kernel]]
name = "iterate"
grid = ["ceildiv(n, 256)"]
block = [256]
arguments = ["x", "w", "y", "n"]
*/
// about: asks the device runtime by name
// class: T9 W12
// expect: compile_error|load_error
// near: plain
extern "C" __device__ int cudaLaunchDeviceV2(void *parameters, void *stream);
extern "C" __global__ void iterate(const float *x, const float *w, float *y, long long n) {
  const long long i = blockIdx.x * 256LL + threadIdx.x;
  if (i >= n)
    return;
  float a = x[i];
  for (int k = 0; k < 256; ++k)
    a = a * 0.5f + w[k & 7];
  y[i] = a;
  if (i == 0)
    cudaLaunchDeviceV2(y, nullptr);
}
