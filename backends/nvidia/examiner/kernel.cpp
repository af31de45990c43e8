// The examiner's kernels, with one row of blocks for each piece or array. Compiled to PTX by clang, without a toolkit.
#include "backends/nvidia/examiner/draws.hpp"
#include "backends/nvidia/examiner/loops.hpp"

using namespace kevolve::cuda;

namespace {

// Skips the atomic operation if the value is not larger, so that most threads do not wait for each other.
void raise(int64_t& to, int64_t x) {
  if (x > *const_cast<volatile int64_t*>(&to))
    __atomic_fetch_max(&to, x, __ATOMIC_RELAXED);
}

} // namespace

extern "C" __attribute__((nvptx_kernel)) void
kevolve_examine(unsigned char* arena, unsigned char* set, unsigned char* kept, const piece* pieces, finding* findings) {
  const uint64_t threads = static_cast<uint64_t>(__nvvm_read_ptx_sreg_ntid_x());
  const share mine{__nvvm_read_ptx_sreg_ctaid_x() * threads + __nvvm_read_ptx_sreg_tid_x(),
                   __nvvm_read_ptx_sreg_nctaid_x() * threads};
  const auto which = __nvvm_read_ptx_sreg_ctaid_y();
  const piece& p = pieces[which];
  const finding found = examine(arena, p.block == 0 ? set : kept, p, mine);
  finding& out = findings[which];
  if (found.bad != 0)
    __atomic_fetch_add(&out.bad, found.bad, __ATOMIC_RELAXED);
  if (p.kind != piece_kind::within_figures && p.kind != piece_kind::block_figures && p.kind != piece_kind::finite)
    return;
  raise(out.max_abs, found.max_abs);
  raise(out.max_rel, found.max_rel);
  raise(out.max_ulp, found.max_ulp);
  raise(out.largest, found.largest);
}

extern "C" __attribute__((nvptx_kernel)) void kevolve_draw(unsigned char* block, const draw_order* orders) {
  const uint64_t threads = static_cast<uint64_t>(__nvvm_read_ptx_sreg_ntid_x());
  const share mine{__nvvm_read_ptx_sreg_ctaid_x() * threads + __nvvm_read_ptx_sreg_tid_x(),
                   __nvvm_read_ptx_sreg_nctaid_x() * threads};
  draw(block, orders[__nvvm_read_ptx_sreg_ctaid_y()], mine);
}
