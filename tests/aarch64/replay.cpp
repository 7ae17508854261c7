// Replays recorded conformance cases on the machine it is built for. Arguments: a category's library, a file of
// recorded launches, the file to write.
//
// A recording is launches one after another, each {variant, cases, bytes} as 64-bit numbers and the block of `bytes`
// that driver.h reads. What is written is {failed}, 64 bits, then 8192 bytes of message after a failure, else the
// block.
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <vector>

typedef int (*Run)(uint64_t index, uint8_t *block, uint64_t bytes, uint64_t cases, char *message, uint64_t room);

int main(int argc, char **argv) {
  if (argc != 4)
    return 2;
  void *library = dlopen(argv[1], RTLD_NOW | RTLD_GLOBAL);
  Run run = library ? reinterpret_cast<Run>(dlsym(library, "conformance_run")) : nullptr;
  if (!run) {
    fprintf(stderr, "%s\n", dlerror());
    return 2;
  }
  FILE *in = fopen(argv[2], "rb"), *out = fopen(argv[3], "wb");
  if (!in || !out)
    return 2;
  uint64_t head[3];
  while (fread(head, sizeof head, 1, in) == 1) {
    std::vector<uint8_t> block(head[2]);
    std::vector<char> message(8192);
    if (fread(block.data(), 1, block.size(), in) != block.size())
      return 2;
    const uint64_t failed = run(head[0], block.data(), block.size(), head[1], message.data(), message.size()) ? 1 : 0;
    fwrite(&failed, sizeof failed, 1, out);
    if (failed)
      fwrite(message.data(), 1, message.size(), out);
    else
      fwrite(block.data(), 1, block.size(), out);
  }
  return fclose(out) ? 2 : 0;
}
