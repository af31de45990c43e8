#include "backends/cuda/candidate_format.hpp"

namespace kevolve::cuda {

namespace {

// Must agree with README.md and list every key.
constexpr const char* format =
    R"text(A candidate is one text: a launch plan as its first comment, in TOML, then CUDA C++ device source. No host code of yours runs: at each call the judge launches the plan's kernels, in their order, on one stream. This shows every key; a plan needs [[kernel]] alone, with name, grid, block and arguments:
/* launch plan
[sizes]                                  # further symbols, over the task's
tiles = "ceildiv(cols, 128)"

[[scratch]]                              # poisoned before each call
name = "partial"
bytes = "4*rows*tiles"
zeroed = true                            # cleared inside the timed window

[[tensor_map]]                           # every field of cuTensorMapEncodeTiled
name = "x_tiles"
buffer = "x"                             # argument or scratch
dims = ["cols", "rows"]                  # elements, innermost first
strides = ["4*cols"]                     # bytes
box = [32, 16]
swizzle = "128b"                         # also: type offset element_strides interleave l2_promotion oob_fill

[[kernel]]                               # in the order of launch
name = "softmax"                         # symbol: extern "C"
grid = ["tiles", "rows"]
block = [128]
cluster = [1, 2]
shared = "4*128"                         # dynamic, bytes
cooperative = false
arguments = ["x_tiles", "y", "partial", "rows", { type = "i32", value = "cols" },
             { buffer = "x", offset = "4*cols" }, { null = true }]
*/
extern "C" __global__ void softmax(...) { ... }
Quantities are integers or texts of the size symbols with + - * / % min max ceildiv ( ), all in integers. In a plan's arguments the name of one of the task's stands for it as it is; a tensor map arrives as const __grid_constant__ CUtensorMap, scratch as a pointer. Numbers and widths are checked against what the kernel takes.
)text";

std::string device_type(dtype t) {
  if (t == dtype::f16)
    return "__half";
  return t == dtype::bf16 ? "__nv_bfloat16" : c_type(t);
}

std::string device_parameter(const argument& a) {
  if (a.role == argument_role::size)
    return "int64_t " + a.name;
  if (a.role == argument_role::scalar)
    return device_type(a.type) + " " + a.name;
  const bool written = a.role == argument_role::output || a.role == argument_role::inout;
  return (written ? "" : "const ") + device_type(a.type) + " *" + a.name;
}

} // namespace

candidate_form plan_form(const contract& task) {
  candidate_form out;
  out.language = "cuda";
  out.file = "candidate.cu";
  out.landmark = "launch plan";
  out.from_reference = false;
  out.signature = format;
  out.signature += "The task's arguments, as a kernel takes them: ";
  for (const auto& a : task.arguments)
    out.signature += (&a == &task.arguments.front() ? "" : ", ") + device_parameter(a);
  out.signature += ".\n";
  out.entry = "compute what '" + task.entry
              + "' of the reference computes, by kernels that are extern \"C\" __global__; include what you use of the "
                "toolkit's headers, there is no other library; no launches or allocation from the device. ";
  out.scratch =
      "Device memory beside the arguments is declared in the plan as scratch: it holds poison before each call, "
      "and clearing or filling it is part of the time. ";
  return out;
}

} // namespace kevolve::cuda
