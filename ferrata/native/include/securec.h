// Bounded memory and text functions. EOK on success; on failure the destination is left empty or zeroed.
#pragma once
#include <errno.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#ifndef EOK
#define EOK 0
#endif
#ifndef _ERRNO_T_DEFINED
#define _ERRNO_T_DEFINED
typedef int errno_t;
#endif
#define ERANGE_AND_RESET (ERANGE | 128)
#define EINVAL_AND_RESET (EINVAL | 128)
#define SECUREC_MEM_MAX_LEN 0x7fffffffUL

static inline errno_t memcpy_s(void *dest, size_t dest_max, const void *src, size_t count) {
  if (dest == NULL || src == NULL) {
    if (dest != NULL)
      memset(dest, 0, dest_max);
    return EINVAL;
  }
  if (count > dest_max) {
    memset(dest, 0, dest_max);
    return ERANGE_AND_RESET;
  }
  memcpy(dest, src, count);
  return EOK;
}
static inline errno_t memmove_s(void *dest, size_t dest_max, const void *src, size_t count) {
  if (dest == NULL || src == NULL)
    return EINVAL;
  if (count > dest_max) {
    memset(dest, 0, dest_max);
    return ERANGE_AND_RESET;
  }
  memmove(dest, src, count);
  return EOK;
}
static inline errno_t memset_s(void *dest, size_t dest_max, int value, size_t count) {
  if (dest == NULL)
    return EINVAL;
  if (count > dest_max) {
    memset(dest, value, dest_max);
    return ERANGE_AND_RESET;
  }
  memset(dest, value, count);
  return EOK;
}
static inline errno_t strncpy_s(char *dest, size_t dest_max, const char *src, size_t count) {
  size_t length;
  if (dest == NULL || dest_max == 0)
    return EINVAL;
  dest[0] = '\0';
  if (src == NULL)
    return EINVAL_AND_RESET;
  length = strnlen(src, count);
  if (length >= dest_max)
    return ERANGE_AND_RESET;
  memcpy(dest, src, length);
  dest[length] = '\0';
  return EOK;
}
static inline errno_t strcpy_s(char *dest, size_t dest_max, const char *src) {
  return strncpy_s(dest, dest_max, src, dest_max);
}
static inline errno_t strncat_s(char *dest, size_t dest_max, const char *src, size_t count) {
  size_t used, length;
  if (dest == NULL || src == NULL || dest_max == 0)
    return EINVAL;
  used = strnlen(dest, dest_max);
  length = strnlen(src, count);
  if (used + length >= dest_max) {
    dest[0] = '\0';
    return ERANGE_AND_RESET;
  }
  memcpy(dest + used, src, length);
  dest[used + length] = '\0';
  return EOK;
}
static inline errno_t strcat_s(char *dest, size_t dest_max, const char *src) {
  return strncat_s(dest, dest_max, src, dest_max);
}
// Characters written, or -1 when the text did not fit.
static inline int vsnprintf_s(char *dest, size_t dest_max, size_t count, const char *format, va_list args) {
  int written;
  size_t room = count < dest_max ? count + 1 : dest_max;
  if (dest == NULL || format == NULL || dest_max == 0)
    return -1;
  written = vsnprintf(dest, room, format, args);
  return written < 0 || (size_t)written >= room ? -1 : written;
}
static inline int snprintf_s(char *dest, size_t dest_max, size_t count, const char *format, ...) {
  int written;
  va_list args;
  va_start(args, format);
  written = vsnprintf_s(dest, dest_max, count, format, args);
  va_end(args);
  return written;
}
static inline int vsprintf_s(char *dest, size_t dest_max, const char *format, va_list args) {
  return vsnprintf_s(dest, dest_max, dest_max, format, args);
}
static inline int sprintf_s(char *dest, size_t dest_max, const char *format, ...) {
  int written;
  va_list args;
  va_start(args, format);
  written = vsnprintf_s(dest, dest_max, dest_max, format, args);
  va_end(args);
  return written;
}
