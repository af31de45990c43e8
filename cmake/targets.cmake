# Flags of every target of ours, and the helpers that make one library per folder.
add_library(kevolve-options INTERFACE)
target_include_directories(kevolve-options INTERFACE ${PROJECT_SOURCE_DIR})
target_compile_options(kevolve-options INTERFACE
  -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wsign-conversion -Werror
  $<$<COMPILE_LANGUAGE:CXX>:-Wold-style-cast -Wnon-virtual-dtor>
  $<$<COMPILE_LANG_AND_ID:CXX,Clang>:SHELL:-Xclang -fno-pch-timestamp>)
# CAF binds null references to empty argument lists, so UBSan's null check is off.
set(kevolve_sanitizers -fsanitize=address,undefined -fno-sanitize=null,vptr -fno-omit-frame-pointer)
if(KEVOLVE_SANITIZE)
  target_compile_options(kevolve-options INTERFACE ${kevolve_sanitizers})
  target_link_options(kevolve-options INTERFACE ${kevolve_sanitizers})
endif()
if(KEVOLVE_FUZZ)
  if(NOT CMAKE_CXX_COMPILER_ID STREQUAL Clang)
    message(FATAL_ERROR "KEVOLVE_FUZZ needs clang: cmake --preset fuzz")
  endif()
  set(kevolve_fuzzing ${kevolve_sanitizers} -fsanitize=fuzzer-no-link -fno-sanitize-recover=undefined)
  target_compile_options(kevolve-options INTERFACE ${kevolve_fuzzing})
  target_link_options(kevolve-options INTERFACE ${kevolve_fuzzing})
endif()

# kevolve_parsed_headers(<name> [HEADERS …] [OPTIONS …]): the headers that most sources include, parsed once for the
# programs and once for the tests, which are compiled with other flags. Of libraries only: a change to a header of ours
# compiles what includes it. The two of cmake/ instantiate what most files would, since that takes longer than to parse.
function(kevolve_parsed_headers name)
  cmake_parse_arguments(ARG "" "" "HEADERS;OPTIONS" ${ARGN})
  file(CONFIGURE OUTPUT ${CMAKE_BINARY_DIR}/${name}.cpp CONTENT "")
  add_library(${name} OBJECT ${CMAKE_BINARY_DIR}/${name}.cpp)
  target_link_libraries(${name} PRIVATE kevolve-options CAF::core)
  target_compile_options(${name} PRIVATE ${ARG_OPTIONS})
  target_precompile_headers(${name} PRIVATE <caf/all.hpp> <fmt/core.h> <tl/expected.hpp> <algorithm> <array> <atomic>
    <chrono> <filesystem> <fstream> <functional> <map> <memory> <mutex> <optional> <random> <set> <sstream> <string>
    <string_view> <thread> <unordered_map> <variant> <vector> ${PROJECT_SOURCE_DIR}/cmake/parsed_json.hpp ${ARG_HEADERS})
endfunction()
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU") # does without the parsed headers where a target has other definitions
  set(CMAKE_PCH_WARN_INVALID OFF)
endif()
if(KEVOLVE_UNITY)
  # Most of what a test costs to compile is optimising templates that it runs once.
  set(kevolve_test_options $<$<CONFIG:Release>:-O0>)
  kevolve_parsed_headers(kevolve-headers)
  if(KEVOLVE_TESTS)
    kevolve_parsed_headers(kevolve-test-headers
      HEADERS ${PROJECT_SOURCE_DIR}/cmake/parsed_doctest.hpp
      OPTIONS ${kevolve_test_options})
  endif()
endif()

function(kevolve_reuse_headers name from)
  if(KEVOLVE_UNITY)
    target_precompile_headers(${name} REUSE_FROM ${from})
  endif()
endfunction()

# kevolve_library(<name> SOURCES … LINKS …): a static library. LINKS are public.
function(kevolve_library name)
  cmake_parse_arguments(ARG "" "" "SOURCES;LINKS;PRIVATE" ${ARGN})
  add_library(${name} STATIC ${ARG_SOURCES})
  target_link_libraries(${name} PUBLIC kevolve-options ${ARG_LINKS} PRIVATE ${ARG_PRIVATE})
  kevolve_reuse_headers(${name} kevolve-headers)
endfunction()

function(kevolve_program name)
  cmake_parse_arguments(ARG "" "" "SOURCES;LINKS" ${ARGN})
  add_executable(${name} ${ARG_SOURCES})
  target_link_libraries(${name} PRIVATE kevolve-options ${ARG_LINKS})
  # tools/portable puts libraries beside the programs, and helpers are started with an environment of their own: the
  # path stands in each, in the form that holds for what libraries need, too.
  set_target_properties(${name} PROPERTIES BUILD_RPATH "$ORIGIN/../lib")
  target_link_options(${name} PRIVATE LINKER:--disable-new-dtags)
  kevolve_reuse_headers(${name} kevolve-headers)
  kevolve_install_program(${name})
endfunction()

# kevolve_together(<target> <source>…): compiled as one where KEVOLVE_UNITY is on, since most of what each costs is the
# headers that all include. Names that are local to one file must then differ from those of the others.
function(kevolve_together name)
  list(GET ARGN 0 first)
  set_target_properties(${name} PROPERTIES UNITY_BUILD ${KEVOLVE_UNITY} UNITY_BUILD_MODE GROUP)
  set_source_files_properties(${ARGN} PROPERTIES UNITY_GROUP ${first})
endfunction()

# kevolve_test(<name> SOURCES … LINKS … [LABELS …] [TIMEOUT s] [SPLIT] [LONG] [OPTIMISED]): a doctest executable and its
# ctest entry. Tests run in the build folder, with KEVOLVE_BIN and KEVOLVE_SOURCE in the environment.
# SPLIT makes one entry of each source that is called test_*.cpp or *_test.cpp, so that they run beside each other.
# LONG says that there are cases of the test suite "long". They run only as <name>-long, with the label `long`:
# tools/check leaves them out, tools/check --all does not.
# OPTIMISED is for what computes more than it takes to compile: the linker takes the templates of tests, which are not
# optimised, for those of the libraries, too.
function(kevolve_test name)
  cmake_parse_arguments(ARG "LONG;SPLIT;OPTIMISED" "TIMEOUT" "SOURCES;LINKS;LABELS" ${ARGN})
  if(NOT ARG_TIMEOUT)
    set(ARG_TIMEOUT 1500) # ends what hangs; a busy machine is many times slower
  endif()
  add_executable(${name} ${ARG_SOURCES})
  target_link_libraries(${name} PRIVATE kevolve-options doctest::doctest ${ARG_LINKS})
  if(ARG_OPTIMISED)
    target_compile_options(${name} PRIVATE $<$<CONFIG:Release>:-O1>)
    kevolve_reuse_headers(${name} kevolve-headers)
  else()
    target_compile_options(${name} PRIVATE ${kevolve_test_options})
    kevolve_reuse_headers(${name} kevolve-test-headers)
  endif()
  # doctest's main function is declared where its header is read first, so that file must be the one to read it.
  set(mains ${ARG_SOURCES})
  list(FILTER mains INCLUDE REGEX "(^|/)main\\.cpp$")
  set_source_files_properties(${mains} PROPERTIES SKIP_PRECOMPILE_HEADERS ON)
  set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/tests)
  set(names)
  if(ARG_SPLIT)
    foreach(source ${ARG_SOURCES})
      get_filename_component(stem ${source} NAME_WE)
      if(stem MATCHES "^test_|_test$")
        add_test(NAME ${name}/${stem} COMMAND ${name} --test-suite-exclude=long --source-file=*/${stem}.cpp
          WORKING_DIRECTORY ${CMAKE_BINARY_DIR})
        list(APPEND names ${name}/${stem})
      endif()
    endforeach()
  else()
    add_test(NAME ${name} COMMAND ${name} --test-suite-exclude=long WORKING_DIRECTORY ${CMAKE_BINARY_DIR})
    set(names ${name})
  endif()
  if(ARG_LONG)
    add_test(NAME ${name}-long COMMAND ${name} --test-suite=long WORKING_DIRECTORY ${CMAKE_BINARY_DIR})
    list(APPEND names ${name}-long)
  endif()
  set_tests_properties(${names} PROPERTIES TIMEOUT ${ARG_TIMEOUT} LABELS "${ARG_LABELS}"
    ENVIRONMENT "KEVOLVE_BIN=${CMAKE_BINARY_DIR}/bin;KEVOLVE_SOURCE=${PROJECT_SOURCE_DIR}")
  if(ARG_LONG)
    set_tests_properties(${name}-long PROPERTIES TIMEOUT 3000 LABELS "${ARG_LABELS};long")
  endif()
endfunction()

# `check-headers`: every header compiles by itself.
function(kevolve_check_headers)
  file(GLOB_RECURSE headers RELATIVE ${PROJECT_SOURCE_DIR} CONFIGURE_DEPENDS
    ${PROJECT_SOURCE_DIR}/actors/*.hpp ${PROJECT_SOURCE_DIR}/runtime/*.hpp ${PROJECT_SOURCE_DIR}/backends/*.hpp
    ${PROJECT_SOURCE_DIR}/store/*.hpp ${PROJECT_SOURCE_DIR}/config/*.hpp ${PROJECT_SOURCE_DIR}/tools/*.hpp)
  set(sources)
  foreach(header ${headers})
    string(REPLACE "/" "_" stem ${header})
    set(source ${CMAKE_BINARY_DIR}/headers/${stem}.cpp)
    file(CONFIGURE OUTPUT ${source} CONTENT "#include \"${header}\"\n#include \"${header}\"\n")
    list(APPEND sources ${source})
  endforeach()
  add_library(check-headers OBJECT EXCLUDE_FROM_ALL ${sources})
  target_compile_options(check-headers PRIVATE -fsyntax-only)
  target_link_libraries(check-headers PRIVATE kevolve-options CAF::core fmt::fmt tl::expected)
endfunction()
