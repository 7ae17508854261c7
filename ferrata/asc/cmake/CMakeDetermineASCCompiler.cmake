# First step of enable_language(ASC): find the driver, and see that it finds a C++ compiler.

if(NOT CMAKE_ASC_COMPILER)
  get_filename_component(_asc_home "${CMAKE_CURRENT_LIST_DIR}/../../.." ABSOLUTE)
  find_program(CMAKE_ASC_COMPILER NAMES bisheng HINTS "${_asc_home}/bin" ENV ASCEND_HOME_PATH PATH_SUFFIXES bin
    DOC "ASC compiler driver")
  unset(_asc_home)
elseif(NOT IS_ABSOLUTE "${CMAKE_ASC_COMPILER}")
  find_program(_asc_compiler NAMES "${CMAKE_ASC_COMPILER}")
  if(_asc_compiler)
    set(CMAKE_ASC_COMPILER "${_asc_compiler}" CACHE FILEPATH "ASC compiler driver" FORCE)
  endif()
  unset(_asc_compiler CACHE)
endif()
mark_as_advanced(CMAKE_ASC_COMPILER)

if(NOT CMAKE_ASC_COMPILER OR NOT EXISTS "${CMAKE_ASC_COMPILER}")
  message(FATAL_ERROR
    "The ASC compiler \"${CMAKE_ASC_COMPILER}\" does not exist. Run `source \"$(ferrata home)/set_env.sh\"` first, "
    "or set CMAKE_ASC_COMPILER to the path of bisheng.")
endif()

execute_process(COMMAND "${CMAKE_ASC_COMPILER}" --version
  OUTPUT_VARIABLE _asc_version ERROR_VARIABLE _asc_error RESULT_VARIABLE _asc_result)
if(NOT _asc_result EQUAL 0)
  message(FATAL_ERROR "The ASC compiler \"${CMAKE_ASC_COMPILER}\" does not run:\n${_asc_version}${_asc_error}")
endif()
string(REGEX MATCH "[0-9]+\\.[0-9]+\\.[0-9]+" CMAKE_ASC_COMPILER_VERSION "${_asc_version}")
set(CMAKE_ASC_COMPILER_ID "Bisheng")
message(STATUS "The ASC compiler is ${CMAKE_ASC_COMPILER} (${CMAKE_ASC_COMPILER_VERSION})")
unset(_asc_version)
unset(_asc_error)
unset(_asc_result)

# ar, ranlib, ld: beside the driver first, then on PATH
get_filename_component(_CMAKE_TOOLCHAIN_LOCATION "${CMAKE_ASC_COMPILER}" PATH)
set(_CMAKE_PROCESSING_LANGUAGE "ASC")
include(CMakeFindBinUtils)
unset(_CMAKE_PROCESSING_LANGUAGE)
if(NOT CMAKE_ASC_COMPILER_AR)
  set(CMAKE_ASC_COMPILER_AR "${CMAKE_AR}")
endif()

set(CMAKE_ASC_COMPILER_ENV_VAR "ASC")
if(NOT CMAKE_ASC_SOURCE_FILE_EXTENSIONS)
  set(CMAKE_ASC_SOURCE_FILE_EXTENSIONS asc)
endif()

configure_file("${CMAKE_CURRENT_LIST_DIR}/CMakeASCCompiler.cmake.in"
  "${CMAKE_PLATFORM_INFO_DIR}/CMakeASCCompiler.cmake" @ONLY)
