/* launch plan
[[kernel]]
name = "copy"
grid = ["ceildiv(n, 256)"]
block = [256]
arguments = ["x", "y", "n"]
[[kernel]]
name = "add_one"
grid = ["ceildiv(n, 256)"]
block = [256]
arguments = ["y", "n"]
[[kernel]]
name = "add_one"
grid = ["ceildiv(n, 256)"]
block = [256]
arguments = ["y", "n"]
[[kernel]]
name = "add_one"
grid = ["ceildiv(n, 256)"]
block = [256]
arguments = ["y", "n"]
[[kernel]]
name = "add_one"
grid = ["ceildiv(n, 256)"]
block = [256]
arguments = ["y", "n"]
[[kernel]]
name = "add_one"
grid = ["ceildiv(n, 256)"]
block = [256]
arguments = ["y", "n"]
[[kernel]]
name = "add_one"
grid = ["ceildiv(n, 256)"]
block = [256]
arguments = ["y", "n"]
[[kernel]]
name = "add_one"
grid = ["ceildiv(n, 256)"]
block = [256]
arguments = ["y", "n"]
[[kernel]]
name = "add_one"
grid = ["ceildiv(n, 256)"]
block = [256]
arguments = ["y", "n"]
[[kernel]]
name = "add_one"
grid = ["ceildiv(n, 256)"]
block = [256]
arguments = ["y", "n"]
[[kernel]]
name = "add_one"
grid = ["ceildiv(n, 256)"]
block = [256]
arguments = ["y", "n"]
[[kernel]]
name = "add_one"
grid = ["ceildiv(n, 256)"]
block = [256]
arguments = ["y", "n"]
[[kernel]]
name = "add_one"
grid = ["ceildiv(n, 256)"]
block = [256]
arguments = ["y", "n"]
[[kernel]]
name = "add_one"
grid = ["ceildiv(n, 256)"]
block = [256]
arguments = ["y", "n"]
[[kernel]]
name = "add_one"
grid = ["ceildiv(n, 256)"]
block = [256]
arguments = ["y", "n"]
[[kernel]]
name = "add_one"
grid = ["ceildiv(n, 256)"]
block = [256]
arguments = ["y", "n"]
[[kernel]]
name = "add_one"
grid = ["ceildiv(n, 256)"]
block = [256]
arguments = ["y", "n"]
[[kernel]]
name = "add_one"
grid = ["ceildiv(n, 256)"]
block = [256]
arguments = ["y", "n"]
[[kernel]]
name = "add_one"
grid = ["ceildiv(n, 256)"]
block = [256]
arguments = ["y", "n"]
[[kernel]]
name = "add_one"
grid = ["ceildiv(n, 256)"]
block = [256]
arguments = ["y", "n"]
[[kernel]]
name = "add_one"
grid = ["ceildiv(n, 256)"]
block = [256]
arguments = ["y", "n"]
[[kernel]]
name = "add_one"
grid = ["ceildiv(n, 256)"]
block = [256]
arguments = ["y", "n"]
[[kernel]]
name = "add_one"
grid = ["ceildiv(n, 256)"]
block = [256]
arguments = ["y", "n"]
[[kernel]]
name = "add_one"
grid = ["ceildiv(n, 256)"]
block = [256]
arguments = ["y", "n"]
[[kernel]]
name = "add_one"
grid = ["ceildiv(n, 256)"]
block = [256]
arguments = ["y", "n"]
[[kernel]]
name = "add_one"
grid = ["ceildiv(n, 256)"]
block = [256]
arguments = ["y", "n"]
[[kernel]]
name = "add_one"
grid = ["ceildiv(n, 256)"]
block = [256]
arguments = ["y", "n"]
[[kernel]]
name = "add_one"
grid = ["ceildiv(n, 256)"]
block = [256]
arguments = ["y", "n"]
[[kernel]]
name = "add_one"
grid = ["ceildiv(n, 256)"]
block = [256]
arguments = ["y", "n"]
[[kernel]]
name = "add_one"
grid = ["ceildiv(n, 256)"]
block = [256]
arguments = ["y", "n"]
[[kernel]]
name = "add_one"
grid = ["ceildiv(n, 256)"]
block = [256]
arguments = ["y", "n"]
[[kernel]]
name = "add_one"
grid = ["ceildiv(n, 256)"]
block = [256]
arguments = ["y", "n"]
[[kernel]]
name = "add_one"
grid = ["ceildiv(n, 256)"]
block = [256]
arguments = ["y", "n"]
[[kernel]]
name = "add_one"
grid = ["ceildiv(n, 256)"]
block = [256]
arguments = ["y", "n"]
[[kernel]]
name = "add_one"
grid = ["ceildiv(n, 256)"]
block = [256]
arguments = ["y", "n"]
[[kernel]]
name = "add_one"
grid = ["ceildiv(n, 256)"]
block = [256]
arguments = ["y", "n"]
[[kernel]]
name = "add_one"
grid = ["ceildiv(n, 256)"]
block = [256]
arguments = ["y", "n"]
[[kernel]]
name = "add_one"
grid = ["ceildiv(n, 256)"]
block = [256]
arguments = ["y", "n"]
[[kernel]]
name = "add_one"
grid = ["ceildiv(n, 256)"]
block = [256]
arguments = ["y", "n"]
[[kernel]]
name = "add_one"
grid = ["ceildiv(n, 256)"]
block = [256]
arguments = ["y", "n"]
[[kernel]]
name = "add_one"
grid = ["ceildiv(n, 256)"]
block = [256]
arguments = ["y", "n"]
*/

extern "C" __global__ void copy(const float *x, float *y, long long n) {
  const long long i = blockIdx.x * 256LL + threadIdx.x;
  if (i < n)
    y[i] = x[i];
}

extern "C" __global__ void add_one(float *y, long long n) {
  const long long i = blockIdx.x * 256LL + threadIdx.x;
  if (i < n)
    y[i] += 1.0f;
}
