// The process that touches the device, for one candidate: it obeys orders on descriptor 3 until the runner closes it,
// or the device breaks under it.
#pragma once

namespace kevolve::cuda {

// Runs a worker to its end. `profiled`: the device's activity records are left to a profiler.
int run_worker(int device, bool profiled);

} // namespace kevolve::cuda
