// The process that holds what candidates may not see, and compares on the device: it obeys orders on descriptor 3 until
// the runner closes it, or the device refuses it something.
#pragma once

namespace kevolve::cuda {

int run_examiner(int device);

} // namespace kevolve::cuda
