// printf, assert and DumpTensor of kernels.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <algorithm>
#include "launch.h"
#include "numbers.h"
#include "print.h"
#include "ferrata/runtime.h"

namespace ferrata {
namespace {
ferrata_output_t sink;
size_t most_bytes = 30 * 1024;

void write_out(const std::string &text) {
  if (text.empty())
    return;
  if (sink) {
    sink(text.data(), text.size());
    return;
  }
  fwrite(text.data(), 1, text.size(), stdout);
  fflush(stdout);
}

void print_text(const std::string &text) {
  if (text.size() > most_bytes)
    return;
  if (Core *core = ferrata_core)
    seat_of(core)->printed += text;
  else
    write_out(text);
}

std::string prefix() {
  const Core *core = ferrata_core;
  if (!core)
    return "";
  return std::string("[") + (core->type ? "AIV" : "AIC") + " Block " + std::to_string(core->block_idx) + "/" +
         std::to_string(core->block_num) + "] ";
}

// The real type of an argument decides its width; the format's length modifiers are dropped.
std::string format_text(const char *format, const PrintArg *args, int count) {
  std::string out;
  int used = 0;
  for (const char *p = format; *p; ++p) {
    if (*p != '%') {
      out += *p;
      continue;
    }
    if (p[1] == '%') {
      out += '%';
      ++p;
      continue;
    }
    std::string spec = "%";
    const char *q = p + 1;
    while (*q && strchr("-+ #0123456789.", *q))
      spec += *q++;
    while (*q && strchr("hlLqjzt", *q))
      ++q;
    if (!*q || used >= count) {
      out += p;
      break;
    }
    const PrintArg &arg = args[used++];
    char text[512];
    int64_t whole = arg.tag == PrintArg::real ? static_cast<int64_t>(arg.d) : arg.i;
    uint64_t bits = arg.bytes < 8 ? arg.u & ((uint64_t(1) << (arg.bytes * 8)) - 1) : arg.u;
    text[0] = '\0';
    switch (*q) {
    case 'd':
    case 'i':
      snprintf(text, sizeof text, (spec + "lld").c_str(), static_cast<long long>(whole));
      break;
    case 'u':
      snprintf(text, sizeof text, (spec + "llu").c_str(), static_cast<unsigned long long>(bits));
      break;
    case 'x':
    case 'X':
      snprintf(text, sizeof text, (spec + "ll" + *q).c_str(), static_cast<unsigned long long>(bits));
      break;
    case 'c':
      snprintf(text, sizeof text, (spec + "c").c_str(), static_cast<int>(arg.i));
      break;
    case 'f':
    case 'F':
    case 'e':
    case 'g':
      snprintf(text, sizeof text, (spec + *q).c_str(), arg.tag == PrintArg::real ? arg.d : static_cast<double>(arg.i));
      break;
    case 's':
      out += arg.tag == PrintArg::text && arg.p ? static_cast<const char *>(arg.p) : "(not text)";
      break;
    case 'p':
      snprintf(text, sizeof text, "%p", arg.p);
      break;
    default:
      snprintf(text, sizeof text, "%%%c", *q);
    }
    out += text;
    p = q;
  }
  return out;
}

const char *type_name(Type type) {
  static const char *const names[] = {"?",      "bool",  "int4",   "int8",    "uint8",    "int16",   "uint16", "int32",
                                      "uint32", "int64", "uint64", "float16", "bfloat16", "float32", "float64"};
  return names[static_cast<int>(type)];
}

std::string element_text(const uint8_t *p, Type type) {
  char text[64];
  switch (type) {
  case Type::f16:
  case Type::bf16:
  case Type::f32:
  case Type::f64:
    snprintf(text, sizeof text, "%f", element_as_double(p, type));
    break;
  case Type::b1:
  case Type::u8:
  case Type::u16:
  case Type::u32:
  case Type::u64:
    snprintf(text, sizeof text, "%llu", static_cast<unsigned long long>(element_bits(p, type)));
    break;
  default:
    snprintf(text, sizeof text, "%lld", static_cast<long long>(element_as_int(p, type)));
  }
  return text;
}
} // namespace

void set_print_limit(size_t bytes) { most_bytes = bytes; }

void flush_output(Launch &launch, Seat &seat) {
  if (seat.printed.empty())
    return;
  std::lock_guard<std::mutex> lock(launch.mutex);
  launch.output.push_back({seat.core.order, std::move(seat.printed)});
  seat.printed.clear();
}

void deliver_output(Launch &launch) {
  if (launch.output.empty())
    return;
  std::stable_sort(launch.output.begin(), launch.output.end(),
                   [](const Launch::Output &a, const Launch::Output &b) { return a.core < b.core; });
  for (const Launch::Output &output : launch.output)
    write_out(output.text);
}
} // namespace ferrata

using namespace ferrata;

void ferrata_set_output(ferrata_output_t function) { sink = function; }

void ferrata_print(const char *format, const PrintArg *args, int count, Loc) {
  print_text(prefix() + format_text(format, args, count));
}

void ferrata_assert_failed(const char *expression, const char *format, const PrintArg *args, int count, Loc loc) {
  std::string text = std::string("Assertion `") + expression + "' failed.";
  if (format)
    text += " " + format_text(format, args, count);
  while (!text.empty() && text.back() == '\n')
    text.pop_back();
  print_text("[ASSERT] " + std::string(loc.file ? loc.file : "?") + ":" + std::to_string(loc.line) + ": " + text +
             "\n");
  ferrata_fault(Fault::AssertFailed, "assert", loc.file, loc.line, "%s", text.c_str());
}

// A header line, then the elements: in one bracket, or nested as `shape` says.
void ferrata_dump(const void *data, uint64_t address, Type type, const char *position, uint32_t label,
                  uint64_t available, uint32_t count, const uint32_t *shape, uint32_t rank, Loc loc) {
  if (count > available)
    ferrata_fault(Fault::OutOfBounds, "DumpTensor", loc.file, loc.line,
                  "%u elements are asked for and the tensor has %llu", count,
                  static_cast<unsigned long long>(available));
  char head[160];
  snprintf(head, sizeof head, "DumpTensor: desc=%u, addr=0x%llx, data_type=%s, position=%s, dump_size=%u\n", label,
           static_cast<unsigned long long>(address), type_name(type), position, count);
  std::string text = head;
  const uint8_t *p = static_cast<const uint8_t *>(data);
  uint32_t width = element_bytes(type);
  if (!rank) {
    text += "[";
    for (uint32_t i = 0; i < count; ++i)
      text += (i ? ", " : "") + element_text(p + static_cast<size_t>(i) * width, type);
    print_text(text + "]\n");
    return;
  }
  uint64_t product = 1;
  std::string dims;
  for (uint32_t i = 0; i < rank; ++i) {
    product *= shape[i];
    dims += (i ? ", " : "") + std::to_string(shape[i]);
  }
  if (product != count)
    text += "shape is [" + dims + "], dumpSize is " + std::to_string(count) +
            (product < count ? ", dumpSize is greater than shapeSize.\n" : ", data is not enough.\n");
  for (uint64_t i = 0; i < product; ++i) {
    uint64_t span = 1;
    uint32_t opened = 0;
    for (uint32_t d = rank; d-- > 0;) {
      span *= shape[d];
      if (i % span == 0)
        ++opened;
    }
    if (i)
      text += opened ? ",\n" : ",";
    text += std::string(opened, '[');
    text += i < count ? element_text(p + i * width, type) : "-";
    span = 1;
    for (uint32_t d = rank; d-- > 0;) {
      span *= shape[d];
      if ((i + 1) % span == 0)
        text += ']';
    }
  }
  print_text(text + "\n");
}

// LocalTensor::Print: one 32-byte block a line, behind the index of its first element.
void ferrata_print_tensor(const void *data, Type type, uint32_t count) {
  const uint8_t *p = static_cast<const uint8_t *>(data);
  const uint32_t width = element_bytes(type), line = 32 / width;
  std::string text;
  for (uint32_t i = 0; i < count; ++i) {
    if (i % line == 0) {
      char head[16];
      snprintf(head, sizeof head, "%s%04u :", i ? "\n" : "", i);
      text += head;
    }
    text += " " + element_text(p + static_cast<size_t>(i) * width, type);
  }
  print_text(text + "\n");
}

int ferrata_save_tensor(const void *data, uint64_t bytes, const char *path) {
  FILE *file = fopen(path, "wb");
  if (!file)
    return -1;
  const bool good = fwrite(data, 1, bytes, file) == bytes;
  return fclose(file) == 0 && good ? 0 : -1;
}
