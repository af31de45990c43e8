# Writes OUT: version, commit and build type of the programs, asked for at each build. The file is left alone where
# nothing has changed, so that nothing is compiled or linked for it. Outside a git checkout the commit is "unknown".
set(commit unknown)
find_package(Git QUIET)
if(Git_FOUND AND EXISTS "${SOURCE}/.git")
  execute_process(COMMAND "${GIT_EXECUTABLE}" -C "${SOURCE}" describe --always --abbrev=12 --exclude=* --dirty=+changes
    OUTPUT_VARIABLE described OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET RESULT_VARIABLE failed)
  if(failed EQUAL 0 AND described MATCHES "^[0-9a-f]+(\\+changes)?$")
    set(commit "${described}")
  endif()
endif()
if("${TYPE}" STREQUAL "")
  set(TYPE none)
endif()
file(CONFIGURE OUTPUT "${OUT}" @ONLY CONTENT [[
#include "runtime/base/version.hpp"

namespace kevolve {

build_identity this_build() {
  return {"@VERSION@", "@commit@", "@TYPE@"};
}

} // namespace kevolve
]])
