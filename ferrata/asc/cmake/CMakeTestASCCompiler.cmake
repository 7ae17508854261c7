# Third step of enable_language(ASC). CMakeDetermineASCCompiler.cmake has run the driver, and the first source that
# does not compile says more than a test program here could; nothing is left to try.
set(CMAKE_ASC_COMPILER_WORKS TRUE CACHE INTERNAL "")
