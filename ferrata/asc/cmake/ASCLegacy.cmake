# The project functions of before the language ASC. Their sources are Ascend C whatever their extension.
#
#   ascendc_library(<target> STATIC|SHARED|OBJECT <source>...)
#   ascendc_compile_definitions(<target> PRIVATE|PUBLIC|INTERFACE <definition>...)
#   ascendc_compile_options(<target> PRIVATE|PUBLIC|INTERFACE <option>...)
#
# A target that links such a library can include "aclrtlaunch_<kernel>.h" and start the kernel with
# ACLRT_LAUNCH_KERNEL(<kernel>)(numBlocks, stream, arguments...).
include_guard(GLOBAL)

# a macro: enable_language works in file scope only
macro(ascendc_library target type)
  enable_language(ASC)
  _ascendc_library(${target} ${type} ${ARGN})
endmacro()

function(_ascendc_library target type)
  set(sources)
  foreach(source IN LISTS ARGN)
    get_filename_component(source "${source}" ABSOLUTE)
    list(APPEND sources "${source}")
  endforeach()
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${sources})
  set(folder "${CMAKE_CURRENT_BINARY_DIR}/${target}_launch")
  execute_process(COMMAND "${CMAKE_ASC_COMPILER}" --launch-wrappers=${folder} -x asc ${sources}
    OUTPUT_VARIABLE wrapped ERROR_VARIABLE error RESULT_VARIABLE result OUTPUT_STRIP_TRAILING_WHITESPACE)
  if(NOT result EQUAL 0)
    message(FATAL_ERROR "ascendc_library(${target}): ${error}")
  endif()
  set_source_files_properties(${wrapped} PROPERTIES LANGUAGE ASC)
  add_library(${target} ${type} ${wrapped})
  set_target_properties(${target} PROPERTIES POSITION_INDEPENDENT_CODE ON LINKER_LANGUAGE ASC)
  target_include_directories(${target} PUBLIC "${folder}" "${ASC_INCLUDE_DIRS}")
endfunction()

function(ascendc_compile_definitions target)
  target_compile_definitions(${target} ${ARGN})
endfunction()

function(ascendc_compile_options target)
  target_compile_options(${target} ${ARGN})
endfunction()
