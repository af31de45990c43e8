// Half a megabyte of code without a loop inside: each instruction is fetched and decoded once a round.
#include <stdint.h>
#define ONE                                                                                                            \
  __asm__ volatile("add $0x12345678, %0\n\tadd $0x23456789, %1\n\tadd $0x3456789a, %2\n\tadd $0x456789ab, %3"          \
                   : "+r"(a), "+r"(b), "+r"(c), "+r"(d));
#define EIGHT ONE ONE ONE ONE ONE ONE ONE ONE
#define MANY EIGHT EIGHT EIGHT EIGHT EIGHT EIGHT EIGHT EIGHT
#define MOST MANY MANY MANY MANY MANY MANY MANY MANY
void long_code(const int64_t *restrict x, int64_t *restrict y, int64_t rounds) {
  int64_t a = x[0], b = x[1], c = x[2], d = x[3];
  for (int64_t r = 0; r < rounds; ++r) {
    MOST MOST MOST MOST MOST MOST MOST MOST
    MOST MOST MOST MOST MOST MOST MOST MOST
    MOST MOST MOST MOST
  }
  for (int i = 0; i < 8; ++i)
    y[i] = x[i];
  y[0] = a;
  y[1] = b;
  y[2] = c;
  y[3] = d;
}
