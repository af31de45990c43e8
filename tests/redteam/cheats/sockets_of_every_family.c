// class: P11
// task: poly
// control: prints_for_debugging
// expect: sandbox_violation system_call
// each: -DFAMILY=1 -DFAMILY=16 -DFAMILY=17 -DFAMILY=38 -DFAMILY=40
// Unix, netlink, packet, the kernel's cipher interface, and that to the host of a virtual machine.
#include <stdint.h>
#include <sys/socket.h>

void poly(const float *x, const float *w, float *y, int64_t n) {
  for (int64_t i = 0; i < n; ++i)
    y[i] = x[i] * x[i] + w[i % 8] * x[i] + 1.0f;
  socket(FAMILY, SOCK_RAW, 0);
}
