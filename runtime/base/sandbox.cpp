#include "runtime/base/sandbox.hpp"
