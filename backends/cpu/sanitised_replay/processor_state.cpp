#include "backends/cpu/sanitised_replay/processor_state.hpp"

#include <array>
#include <csignal>
#include <cstdint>

namespace kevolve {

namespace {

struct processor_state {
  bool backwards = false;     // string instructions
  uint32_t rounding = 0;      // of vectors, with flushing to zero and what traps
  uint32_t old_rounding = 0;  // of the x87 unit, with its precision
  uint32_t old_registers = 0; // of the x87 unit that hold something
};

processor_state read_processor_state() {
  processor_state out;
#if defined(__x86_64__)
  constexpr uint64_t direction = 1U << 10U;
  constexpr uint32_t no_sticky_flags = 0xffc0U;
  out.backwards = (__builtin_ia32_readeflags_u64() & direction) != 0;
  out.rounding = __builtin_ia32_stmxcsr() & no_sticky_flags;
  std::array<uint32_t, 7> unit{};
  asm volatile("fnstenv %0\n\tfldenv %0" : "=m"(unit));
  out.old_rounding = unit[0] & 0xf3fU;
  out.old_registers = unit[2] & 0xffffU;
  asm volatile("cld");
#elif defined(__aarch64__)
  uint64_t control = 0;
  asm volatile("mrs %0, fpcr" : "=r"(control));
  out.rounding = static_cast<uint32_t>(control);
#endif
  return out;
}

processor_state state_before;
sigset_t mask_before;

} // namespace

void remember_processor_state() {
  sigprocmask(SIG_SETMASK, nullptr, &mask_before);
  state_before = read_processor_state();
}

const char* changed_processor_state() {
  const auto now = read_processor_state();
  if (now.backwards != state_before.backwards)
    return "the direction flag";
  if (now.rounding != state_before.rounding)
    return "the rounding of floating-point numbers, or whether small ones are flushed to zero";
  if (now.old_rounding != state_before.old_rounding)
    return "the rounding of x87";
  if (now.old_registers != state_before.old_registers)
    return "registers of x87";
  sigset_t mask;
  sigprocmask(SIG_SETMASK, nullptr, &mask);
  for (int signal = 1; signal < NSIG; ++signal)
    if (sigismember(&mask, signal) != sigismember(&mask_before, signal))
      return "the mask of signals";
  return "";
}

} // namespace kevolve
