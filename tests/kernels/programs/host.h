#pragma once
// What the host programs here share: a session on the device, and device buffers that are read from and written to files.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <string>
#include <vector>
#include "acl/acl.h"

#define ACL_CHECK(expr)                                                                     \
    do {                                                                                    \
        aclError _e = (expr);                                                               \
        if (_e != ACL_SUCCESS) {                                                            \
            fprintf(stderr, "%s:%d: %s failed: %d %s\n", __FILE__, __LINE__, #expr, (int)_e, \
                    aclGetRecentErrMsg());                                                  \
            exit(2);                                                                        \
        }                                                                                   \
    } while (0)

class Session {
public:
    Session()
    {
        ACL_CHECK(aclInit(nullptr));
        ACL_CHECK(aclrtSetDevice(0));
        ACL_CHECK(aclrtCreateStream(&stream_));
    }
    ~Session()
    {
        (void)aclrtDestroyStream(stream_);
        (void)aclrtResetDevice(0);
        (void)aclFinalize();
    }
    operator aclrtStream() const { return stream_; }
    void Sync() { ACL_CHECK(aclrtSynchronizeStream(stream_)); }

private:
    aclrtStream stream_ = nullptr;
};

class DevBuf {
public:
    explicit DevBuf(size_t bytes) : bytes_(bytes)
    {
        ACL_CHECK(aclrtMalloc(&ptr_, bytes, ACL_MEM_MALLOC_HUGE_FIRST));
        ACL_CHECK(aclrtMemset(ptr_, bytes, 0, bytes));
    }
    explicit DevBuf(const std::string &file)
    {
        std::ifstream in(file, std::ios::binary | std::ios::ate);
        if (!in) { std::cerr << "cannot open " << file << std::endl; exit(3); }
        bytes_ = static_cast<size_t>(in.tellg());
        std::vector<char> host(bytes_);
        in.seekg(0).read(host.data(), bytes_);
        ACL_CHECK(aclrtMalloc(&ptr_, bytes_, ACL_MEM_MALLOC_HUGE_FIRST));
        ACL_CHECK(aclrtMemcpy(ptr_, bytes_, host.data(), bytes_, ACL_MEMCPY_HOST_TO_DEVICE));
    }
    DevBuf(const DevBuf &) = delete;
    ~DevBuf() { (void)aclrtFree(ptr_); }
    void Save(const std::string &file) const
    {
        std::vector<char> host(bytes_);
        ACL_CHECK(aclrtMemcpy(host.data(), bytes_, ptr_, bytes_, ACL_MEMCPY_DEVICE_TO_HOST));
        std::ofstream(file, std::ios::binary).write(host.data(), bytes_);
    }
    size_t Bytes() const { return bytes_; }
    template <typename T> size_t Count() const { return bytes_ / sizeof(T); }
    template <typename T = uint8_t> T *As() const { return static_cast<T *>(ptr_); }

private:
    void *ptr_ = nullptr;
    size_t bytes_ = 0;
};
