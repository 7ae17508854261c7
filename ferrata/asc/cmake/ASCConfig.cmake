# find_package(ASC): makes the language ASC (Ascend C) known to project() and enable_language().
#
# Call it before project(... LANGUAGES ASC CXX). What may be set before it, or with -D:
#   CMAKE_ASC_ARCHITECTURES   dav-2201 (default) or dav-3510
#   CMAKE_ASC_RUN_MODE        npu (default), sim, cpu
#   CMAKE_ASC_COMPILER        the driver; default: bin/bisheng beside this package
#   CMAKE_ASC_STANDARD        17 (default) or later
#   CMAKE_ASC_FLAGS, CMAKE_ASC_FLAGS_DEBUG, CMAKE_ASC_FLAGS_RELEASE
# The modules CMake<...>ASC<...>.cmake beside this file are loaded by CMake itself.

get_filename_component(_asc_home "${CMAKE_CURRENT_LIST_DIR}/../../.." ABSOLUTE)
set(_asc_architectures dav-2201 dav-3510)

if(NOT CMAKE_ASC_ARCHITECTURES)
  set(CMAKE_ASC_ARCHITECTURES dav-2201 CACHE STRING "NPU architecture of ASC sources: dav-2201 or dav-3510" FORCE)
endif()
list(LENGTH CMAKE_ASC_ARCHITECTURES _asc_count)
if(_asc_count GREATER 1)
  message(FATAL_ERROR "CMAKE_ASC_ARCHITECTURES=${CMAKE_ASC_ARCHITECTURES}: give one of ${_asc_architectures}")
endif()
if(NOT "${CMAKE_ASC_ARCHITECTURES}" IN_LIST _asc_architectures)
  message(FATAL_ERROR
    "CMAKE_ASC_ARCHITECTURES=${CMAKE_ASC_ARCHITECTURES} is not an architecture that ferrata knows: ${_asc_architectures}")
endif()
if(NOT CMAKE_ASC_RUN_MODE)
  set(CMAKE_ASC_RUN_MODE npu CACHE STRING "How ASC targets run: npu, sim or cpu" FORCE)
endif()
if(NOT CMAKE_ASC_RUN_MODE MATCHES "^(npu|sim|cpu)$")
  message(FATAL_ERROR "CMAKE_ASC_RUN_MODE=${CMAKE_ASC_RUN_MODE}: give npu, sim or cpu")
endif()
if(CMAKE_ASC_ENABLE_SIMT)
  message(WARNING "CMAKE_ASC_ENABLE_SIMT: ferrata's architectures have no SIMT; ignored")
endif()

list(INSERT CMAKE_MODULE_PATH 0 "${CMAKE_CURRENT_LIST_DIR}")
list(REMOVE_DUPLICATES CMAKE_MODULE_PATH)

if(NOT ASCEND_HOME_PATH)
  set(ASCEND_HOME_PATH "${_asc_home}")
endif()
if(NOT ASCEND_CANN_PACKAGE_PATH)
  set(ASCEND_CANN_PACKAGE_PATH "${_asc_home}")
endif()
set(ASC_HOME "${_asc_home}")
set(ASC_INCLUDE_DIRS "${_asc_home}/include")
set(ASC_LIBRARY_DIR "${_asc_home}/lib64")

# The Python that owns ferrata also owns the torch that find_package(Torch) and Python3::Python must agree with.
include("${CMAKE_CURRENT_LIST_DIR}/ASCPython.cmake" OPTIONAL)

include("${CMAKE_CURRENT_LIST_DIR}/ASCLegacy.cmake")

unset(_asc_home)
unset(_asc_count)
unset(_asc_architectures)
