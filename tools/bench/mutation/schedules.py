"""Another order of threads, for faults of synchronisation: every second warp sleeps where a kernel begins and behind its barriers.

Sleeping changes no result of a kernel that synchronises as it must, whichever warps sleep. A fault shows where threads are
late that a barrier would have waited for. Only the search for witnesses runs such code; the judge gets the mutant itself.
"""

from __future__ import annotations

import re

# The even warps sleep, or the odd ones, counted over a block and over the blocks.
SCHEDULES = (0, 1)
VARIABLE = "mutant_schedule"
SLEEP = r"""
__device__ int mutant_schedule;
static __device__ __noinline__ void mutant_sleep() {
  const unsigned thread = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
  if (((thread / 32 + blockIdx.x + blockIdx.y + blockIdx.z) & 1u) == (unsigned)*(volatile int *)&mutant_schedule)
    __nanosleep(20000);
}
#define MUTANT_SLEEP mutant_sleep()
"""
# These follow the headers, which name the functions in other ways.
BARRIERS = r"""
#define __syncthreads() (__syncthreads(), mutant_sleep())
#define __syncwarp(...) (__syncwarp(__VA_ARGS__), mutant_sleep())
"""


def after_plan(source: str) -> int:
    return source.index("*/") + 2 if source.startswith("/* launch plan") else 0


def entries(source: str) -> list[int]:
    """Returns the places behind the opening braces of kernels."""
    found = []
    for word in re.finditer(r"\b__global__\b", source):
        brace, end = source.find("{", word.end()), source.find(";", word.end())
        if brace >= 0 and not 0 <= end < brace:
            found.append(brace + 1)
    return found


def delayed(source: str) -> str:
    """Returns the source with sleeping warps. Barriers keep their meaning, and all behind them is late for some."""
    for at in reversed(sorted([*entries(source), *(m.end() for m in re.finditer(r"\.sync\(\);", source))])):
        source = source[:at] + " MUTANT_SLEEP;" + source[at:]
    plan = after_plan(source)
    headers = max([plan, *(m.end() for m in re.finditer(r"^[ \t]*#[ \t]*include\b.*$", source, re.MULTILINE))])
    return source[:plan] + SLEEP + source[plan:headers] + BARRIERS + source[headers:]
