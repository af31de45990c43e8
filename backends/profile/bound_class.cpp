#include "backends/profile/bound_class.hpp"

#include <cstddef>

namespace kevolve {

namespace {

constexpr std::array<bound_row, bound_texts.size()> rows{{
    {bound_class::unknown, "no bottleneck could be named",
     "Look at the loop that takes most of the time, and at what its statements wait for.", "", ""},
    {bound_class::latency_chain, "a chain of dependent operations",
     "Run several independent chains at once: more accumulators, several rows or queries in one loop.",
     "latency,dependences,instruction parallelism", "split_accumulators,jam,reassociate,unroll"},
    {bound_class::port_pressure, "one kind of execution unit is always busy",
     "Use fewer operations of that kind: other instructions, wider vectors, values kept instead of computed again.",
     "compute throughput,instruction parallelism", "scalar_replace,hoist_products,factor_sum,math"},
    {bound_class::front_end, "fetch and decode of instructions",
     "Make the hot loop smaller: less unrolling, fewer variants, no cold code inside.", "instruction parallelism",
     "fission,halve"},
    {bound_class::scalar_code, "unused vector lanes",
     "Vectorise the hot loop: unit strides, no branch, no dependence from one iteration to the next.", "vectorisation",
     "vectorise,if_convert,mask,restrict,interchange,reassociate,fission"},
    {bound_class::l1_bandwidth, "loads and stores of the first-level cache",
     "Keep values in registers: block for registers, fuse passes.", "blocking,cache", "jam,scalar_replace,fuse"},
    {bound_class::l2_bandwidth, "the second-level cache's bandwidth",
     "Block so that the inner working set fits the first level.", "blocking,cache", "tile,fuse,pack,buffer"},
    {bound_class::l3_bandwidth, "the third-level cache's bandwidth",
     "Block so that the inner working set fits the second level.", "blocking,cache", "tile,fuse,pack,buffer"},
    {bound_class::memory_bandwidth, "memory bandwidth",
     "Move fewer bytes: fuse passes, read each element once, stream stores that are not read.",
     "memory bandwidth,blocking,cache", "fuse,online,recompute,stream,narrow,tile"},
    {bound_class::cache_misses, "latency of cache misses",
     "Have more accesses under way: prefetch, batch look-ups, or change the layout to sequential access.",
     "latency,cache,prefetch", "prefetch,pack,interchange,transpose"},
    {bound_class::tlb_misses, "misses of the address translation",
     "Touch fewer pages at a time: block, pack into contiguous buffers.", "blocking,cache", "pack,tile,interchange"},
    {bound_class::false_dependence, "a dependence that no value needs",
     "Break it: zero the destination before, write whole registers.", "latency,dependences", "unroll"},
    {bound_class::branch_misses, "mispredicted branches",
     "Turn the branch into a select, sort or batch by its outcome, or search without branches.",
     "branches,vectorisation", "if_convert,mask,split_index_set,clip"},
    {bound_class::denormals, "operations on denormal numbers",
     "Keep values out of the denormal range: scale them, or cut small ones to zero where the tolerance allows.",
     "numerical stability", "math"},
    {bound_class::store_forwarding, "loads of bytes that are still in the store buffer",
     "Load what was stored with the same width, or keep it in registers.", "latency,dependences",
     "scalar_replace,fission"},
    {bound_class::aliasing_4k, "loads and stores at the same offset within a page",
     "Shift one of the arrays, or copy a block into a buffer with another offset.", "cache", "buffer,pack"},
    {bound_class::spilling, "values that do not fit the registers",
     "Use fewer live values: smaller register blocks, less unrolling.", "blocking", "fission,halve"},
    {bound_class::call_overhead, "the call itself", "It does little more than an empty call: only less set-up helps.",
     "launch overhead", ""},
    {bound_class::bank_conflicts, "bank conflicts of shared memory", "Pad or swizzle the shared tiles.",
     "shared memory", ""},
    {bound_class::uncoalesced, "uncoalesced accesses", "Let neighbouring threads read neighbouring addresses.",
     "coalescing,memory bandwidth", ""},
    {bound_class::occupancy, "too few threads at work",
     "Smaller tiles or more blocks, fewer registers or less shared memory a block.", "occupancy", ""},
    {bound_class::tail_effect, "the last wave of blocks", "Choose a grid that fills whole waves, or persistent blocks.",
     "occupancy", ""},
    {bound_class::compute, "arithmetic throughput",
     "Do less or wider arithmetic: fused multiply-add, fewer operations an element.",
     "compute throughput,vectorisation,instruction parallelism", "hoist_products,factor_sum,factor_terms,math,narrow"},
}};

constexpr bool in_order() {
  for (size_t i = 0; i < rows.size(); ++i)
    if (static_cast<size_t>(rows[i].bound) != i)
      return false;
  return true;
}
static_assert(in_order());

} // namespace

const bound_row& row_of(bound_class b) {
  const auto at = static_cast<size_t>(b);
  return rows[at < rows.size() ? at : 0];
}

} // namespace kevolve
