# The project functions of before the language ASC. Their sources are Ascend C whatever their extension.
#
#   ascendc_library(<target> STATIC|SHARED|OBJECT <source>...)
#   ascendc_compile_definitions(<target> PRIVATE|PUBLIC|INTERFACE <definition>...)
#   ascendc_compile_options(<target> PRIVATE|PUBLIC|INTERFACE <option>...)
include_guard(GLOBAL)

# a macro: enable_language works in file scope only
macro(ascendc_library target type)
  enable_language(ASC)
  _ascendc_library(${target} ${type} ${ARGN})
endmacro()

function(_ascendc_library target type)
  set_source_files_properties(${ARGN} PROPERTIES LANGUAGE ASC)
  add_library(${target} ${type} ${ARGN})
  set_target_properties(${target} PROPERTIES POSITION_INDEPENDENT_CODE ON LINKER_LANGUAGE ASC)
  target_include_directories(${target} PUBLIC "${ASC_INCLUDE_DIRS}")
endfunction()

function(ascendc_compile_definitions target)
  target_compile_definitions(${target} ${ARGN})
endfunction()

function(ascendc_compile_options target)
  target_compile_options(${target} ${ARGN})
endfunction()
