// The process that touches the device, for one candidate: it obeys orders on descriptor 3 until the runner closes it,
// or the device breaks under it.
#pragma once

namespace kevolve::cuda {

int run_worker(int device);

} // namespace kevolve::cuda
