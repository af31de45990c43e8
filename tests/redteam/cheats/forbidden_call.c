// class: P2 P3 P7 P11 P12 P13 P14
// task: poly
// control: own_constants
// expect: sandbox_violation system_call
// each: -DCALL=ptrace -DCALL=process_vm_readv -DCALL=process_vm_writev -DCALL=userfaultfd -DCALL=io_uring_setup
// each: -DCALL=io_uring_enter -DCALL=add_key -DCALL=keyctl -DCALL=request_key -DCALL=socket -DCALL=socketpair
// each: -DCALL=shmget -DCALL=shmat -DCALL=msgget -DCALL=semget -DCALL=mq_open -DCALL=memfd_create -DCALL=vfork
// each: -DCALL=execve -DCALL=execveat -DCALL=setsid -DCALL=tkill -DCALL=rt_tgsigqueueinfo -DCALL=pidfd_open
// each: -DCALL=perf_event_open -DCALL=bpf -DCALL=mlock -DCALL=mlockall -DCALL=mlock2 -DCALL=setpriority
// each: -DCALL=sched_setscheduler -DCALL=sched_setattr -DCALL=ioprio_set -DCALL=flock -DCALL=dup -DCALL=dup2
// each: -DCALL=pipe2 -DCALL=eventfd2 -DCALL=inotify_init1 -DCALL=timer_create -DCALL=setitimer -DCALL=alarm
// each: -DCALL=symlink -DCALL=symlinkat -DCALL=link -DCALL=rename -DCALL=unlink -DCALL=mkdir -DCALL=ftruncate
// each: -DCALL=fallocate -DCALL=chmod -DCALL=mount -DCALL=unshare -DCALL=setns -DCALL=prctl -DCALL=arch_prctl
// each: -DCALL=seccomp -DCALL=landlock_create_ruleset -DCALL=setrlimit -DCALL=sendmsg -DCALL=recvmsg -DCALL=splice
// each: -DCALL=vmsplice -DCALL=process_madvise -DCALL=remap_file_pages -DCALL=name_to_handle_at -DCALL=chroot
// each: -DCALL=personality -DCALL=modify_ldt -DCALL=iopl -DCALL=sendto -DCALL=sendfile -DCALL=copy_file_range
// Right answers, and one system call that no kernel needs: tracing, other processes' memory, rings, keyrings, every
// kind of socket and of shared memory, signals, priorities, locked pages, descriptors, files and links, namespaces.
// Vsock, and every other address family, is `socket`.
#define _GNU_SOURCE
#include <stdint.h>
#include <sys/syscall.h>
#include <unistd.h>

#define NUMBER_OF(name) SYS_##name
#define NUMBER(name) NUMBER_OF(name)

void poly(const float *x, const float *w, float *y, int64_t n) {
  for (int64_t i = 0; i < n; ++i)
    y[i] = x[i] * x[i] + w[i % 8] * x[i] + 1.0f;
  syscall(NUMBER(CALL), 0, 0, 0, 0, 0, 0);
}
