// The runner's own kernels, as text that the driver assembles. The probe has a known answer:
// out[i] = in[i] * 1664525 + 1013904223. The gate holds the stream until the host has queued all that a timed call
// consists of, or the limit has passed: between two events there is then no waiting for the host.
#pragma once

namespace kevolve::cuda {

inline constexpr const char* probe_name = "kevolve_probe";
inline constexpr const char* gate_name = "kevolve_gate";
inline constexpr const char* own_code = R"ptx(
.version 7.8
.target sm_70
.address_size 64
.visible .entry kevolve_probe(.param .u64 from, .param .u64 to, .param .u32 count)
{
  .reg .pred %p;
  .reg .b32 %r<7>;
  .reg .b64 %rd<5>;
  ld.param.u64 %rd0, [from];
  ld.param.u64 %rd1, [to];
  ld.param.u32 %r0, [count];
  cvta.to.global.u64 %rd0, %rd0;
  cvta.to.global.u64 %rd1, %rd1;
  mov.u32 %r1, %ctaid.x;
  mov.u32 %r2, %ntid.x;
  mov.u32 %r3, %tid.x;
  mad.lo.u32 %r4, %r1, %r2, %r3;
  setp.ge.u32 %p, %r4, %r0;
  @%p bra done;
  mul.wide.u32 %rd2, %r4, 4;
  add.u64 %rd3, %rd0, %rd2;
  add.u64 %rd4, %rd1, %rd2;
  ld.global.u32 %r5, [%rd3];
  mad.lo.u32 %r6, %r5, 1664525, 1013904223;
  st.global.u32 [%rd4], %r6;
done:
  ret;
}
.visible .entry kevolve_gate(.param .u64 flag, .param .u64 limit)
{
  .reg .pred %p;
  .reg .b32 %r0;
  .reg .b64 %rd<4>;
  ld.param.u64 %rd0, [flag];
  ld.param.u64 %rd1, [limit];
  cvta.to.global.u64 %rd0, %rd0;
  mov.u64 %rd2, %globaltimer;
wait:
  ld.volatile.global.u32 %r0, [%rd0];
  setp.ne.u32 %p, %r0, 0;
  @%p bra open;
  mov.u64 %rd3, %globaltimer;
  sub.u64 %rd3, %rd3, %rd2;
  setp.lt.u64 %p, %rd3, %rd1;
  @%p bra wait;
open:
  ret;
}
)ptx";

} // namespace kevolve::cuda
