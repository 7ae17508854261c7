# Any version that a project asks for is accepted: the interface is the newest documented one.
set(PACKAGE_VERSION "9.1.0")
set(PACKAGE_VERSION_COMPATIBLE TRUE)
if(PACKAGE_FIND_VERSION VERSION_EQUAL PACKAGE_VERSION)
  set(PACKAGE_VERSION_EXACT TRUE)
endif()
