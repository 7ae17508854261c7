#include "file_io.h"
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <fstream>
bool ReadFile(const std::string& path, std::vector<float>& out)
{
    std::ifstream in(path, std::ios::binary | std::ios::ate);
    if (!in) return false;
    out.resize(in.tellg() / sizeof(float));
    in.seekg(0);
    in.read(reinterpret_cast<char*>(out.data()), out.size() * sizeof(float));
    return true;
}
bool WriteFile(const std::string& path, const void* data, size_t bytes)
{
    int fd = open(path.c_str(), O_RDWR | O_CREAT | O_TRUNC, S_IRUSR | S_IWUSR);
    if (fd < 0) return false;
    auto n = write(fd, data, bytes);
    close(fd);
    return n == static_cast<ssize_t>(bytes);
}
