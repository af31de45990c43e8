// The health probe's kernel, as text that the driver assembles: out[i] = in[i] * 1664525 + 1013904223.
#pragma once

namespace kevolve::cuda {

inline constexpr const char* probe_name = "kevolve_probe";
inline constexpr const char* probe_code = R"ptx(
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
)ptx";

} // namespace kevolve::cuda
