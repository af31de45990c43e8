# The places of an installation: programs in bin, the helpers they start in libexec/kevolve, the rest where a
# distribution looks for it. `cmake --install build --prefix DIR` may name another prefix than the configuration did.
set(kevolve_helper_folder ${CMAKE_INSTALL_LIBEXECDIR}/kevolve)
file(RELATIVE_PATH kevolve_helpers_from_programs
  ${CMAKE_INSTALL_FULL_BINDIR} ${CMAKE_INSTALL_FULL_LIBEXECDIR}/kevolve)
set(KEVOLVE_UNIT_DIR lib/systemd/system CACHE STRING "Where systemd units are installed, below the prefix")

# kevolve_install_program(<target>): in bin the two that people start, in libexec the helpers; no test, no benchmark.
function(kevolve_install_program name)
  if(name MATCHES "^kevolved?$")
    install(TARGETS ${name} RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
  elseif(name MATCHES "^kevolve-")
    install(TARGETS ${name} RUNTIME DESTINATION ${kevolve_helper_folder})
  endif()
endfunction()

# Documents, examples with their tasks, and what is made at the time of the installation: the units, whose paths are
# those of the prefix, and completions and manual pages, which the program prints itself.

function(kevolve_install_data program)
  install(FILES ${PROJECT_SOURCE_DIR}/LICENSE ${PROJECT_SOURCE_DIR}/README.md ${PROJECT_SOURCE_DIR}/CHANGELOG.md
    DESTINATION ${CMAKE_INSTALL_DOCDIR})
  install(DIRECTORY ${PROJECT_SOURCE_DIR}/docs DESTINATION ${CMAKE_INSTALL_DOCDIR} PATTERN results EXCLUDE)
  install(DIRECTORY ${PROJECT_SOURCE_DIR}/docs/results DESTINATION ${CMAKE_INSTALL_DOCDIR}/docs FILES_MATCHING PATTERN gpu EXCLUDE PATTERN "*.md" PATTERN "*.png")
  install(DIRECTORY ${PROJECT_SOURCE_DIR}/config/examples ${PROJECT_SOURCE_DIR}/config/tasks
    DESTINATION ${CMAKE_INSTALL_DATADIR}/kevolve)
  set(made ${CMAKE_BINARY_DIR}/installed)
  install(CODE "
    set(program \"$<TARGET_FILE:${program}>\")
    set(made \"${made}\")
    set(bin \"\${CMAKE_INSTALL_PREFIX}/${CMAKE_INSTALL_BINDIR}\")
    set(units \"${PROJECT_SOURCE_DIR}/tools/systemd/kevolved.service\"
      \"${PROJECT_SOURCE_DIR}/tools/systemd/kevolved@.service\")
    include(\"${PROJECT_SOURCE_DIR}/cmake/generated_files.cmake\")")
  install(FILES ${made}/kevolved.service ${made}/kevolved@.service DESTINATION ${KEVOLVE_UNIT_DIR})
  install(FILES ${made}/kevolve DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions)
  install(FILES ${made}/_kevolve DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/site-functions)
  install(FILES ${made}/kevolve.fish DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d)
  install(DIRECTORY ${made}/man1 DESTINATION ${CMAKE_INSTALL_MANDIR})
endfunction()
