// One binary for all x86-64 processors: the loader picks the widest version of a function that the processor supports.
// Disabled under sanitizers, whose start-up code cannot run such selectors.
#pragma once

#if defined(__x86_64__) && !defined(__SANITIZE_ADDRESS__)
#define KEVOLVE_WIDEST [[gnu::target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default")]]
#else
#define KEVOLVE_WIDEST
#endif
