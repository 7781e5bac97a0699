# `make deb`: what `cmake --install` installs as a Debian package, with the files that Debian asks for in
# /usr/share/doc. lintian (tools/try-install deb) says whether it is as Debian wants it.
set(debian ${PROJECT_SOURCE_DIR}/packaging/debian)
set(packed ${CMAKE_CURRENT_BINARY_DIR}/packed)
file(MAKE_DIRECTORY ${packed})
# plimsoll_packs(FILE AS): FILE, compressed, in the folder of the package's documents.
function(plimsoll_packs file as)
  execute_process(COMMAND gzip -9nc ${file} OUTPUT_FILE ${packed}/${as} COMMAND_ERROR_IS_FATAL ANY)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${file})
  install(FILES ${packed}/${as} DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT debian EXCLUDE_FROM_ALL)
endfunction()
plimsoll_packs(${debian}/changelog changelog.Debian.gz)
plimsoll_packs(${PROJECT_SOURCE_DIR}/CHANGELOG.md changelog.gz)
install(FILES ${debian}/copyright DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT debian EXCLUDE_FROM_ALL)
install(FILES ${debian}/lintian-overrides DESTINATION ${CMAKE_INSTALL_DATADIR}/lintian/overrides RENAME plimsoll
        COMPONENT debian EXCLUDE_FROM_ALL)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/examples DESTINATION ${CMAKE_INSTALL_DOCDIR}
        COMPONENT debian EXCLUDE_FROM_ALL)

set(CPACK_GENERATOR DEB)
set(CPACK_INSTALL_CMAKE_PROJECTS "${CMAKE_BINARY_DIR};plimsoll;ALL;/;${CMAKE_BINARY_DIR};plimsoll;debian;/")
set(CPACK_PACKAGE_DIRECTORY ${CMAKE_BINARY_DIR})
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE
                                                WORLD_READ WORLD_EXECUTE)
set(CPACK_PACKAGE_CONTACT "The Plimsoll authors <maintainers@plimsoll.invalid>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "capacity of LLM serving, planned without a GPU")
set(CPACK_PACKAGE_DESCRIPTION "Plimsoll simulates a cluster that serves a large language model, request by
request and step by step, and answers how many instances hold a load, which
deployment is cheapest for given limits, and what runs out first and when,
each with its evidence and how sure it is.")
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_RELEASE 1)
set(CPACK_DEBIAN_PACKAGE_SECTION science)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_RECOMMENDS "libcurl4, libmicrohttpd12, ca-certificates, tzdata")  # when the network is asked, or a zone
include(CPack)
