#define DOCTEST_CONFIG_IMPLEMENT
#include "runtime/base/log.hpp"

#include <doctest/doctest.h>

int main(int argc, char** argv) {
  // Thousands of faults are intended, so their log messages are suppressed.
  kevolve::log::options quiet;
  quiet.threshold = kevolve::log::level::off;
  kevolve::log::configure(quiet);
  return doctest::Context(argc, argv).run();
}
