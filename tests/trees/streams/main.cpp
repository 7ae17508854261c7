#include <cmath>
#include <cstdio>
#include <string>
#include "acl/acl.h"
#include "file_io.h"
#include "ops.h"
#define LOG_PRINT(message, ...) do { printf(message, ##__VA_ARGS__); } while (0)
#define CHECK_RET(cond, return_expr) do { if (!(cond)) { return_expr; } } while (0)
int main(int argc, char** argv)
{
    std::string dir = argc > 1 ? argv[1] : "../data";
    std::vector<float> x;
    CHECK_RET(ReadFile(dir + "/x.bin", x), LOG_PRINT("cannot read %s\n", dir.c_str()); return 1);
    demo::RowArgs args{{64, 256}, 0.5f, 1};
    CHECK_RET(x.size() == 64 * 256, return 2);
    auto ret = aclInit(nullptr);
    CHECK_RET(ret == ACL_SUCCESS, LOG_PRINT("aclInit %d\n", ret); return ret);
    ret = aclrtSetDevice(0);
    aclrtContext context;
    ret = aclrtCreateContext(&context, 0);
    CHECK_RET(ret == ACL_SUCCESS, return ret);
    ret = aclrtSetCurrentContext(context);
    uint32_t count = 0;
    aclrtGetDeviceCount(&count);
    aclrtRunMode mode;
    aclrtGetRunMode(&mode);
    LOG_PRINT("soc %s devices %u mode %d\n", aclrtGetSocName(), count, (int)mode);
    aclrtStream a, b;
    aclrtCreateStream(&a);
    aclrtCreateStreamWithConfig(&b, 0, ACL_STREAM_FAST_LAUNCH);
    aclrtEvent start, stop, ready;
    aclrtCreateEventWithFlag(&start, ACL_EVENT_TIME_LINE);
    aclrtCreateEventWithFlag(&stop, ACL_EVENT_TIME_LINE);
    aclrtCreateEvent(&ready);
    float *dx, *dy, *dz;
    size_t bytes = x.size() * sizeof(float);
    aclrtMalloc((void**)&dx, bytes, ACL_MEM_MALLOC_HUGE_FIRST);
    aclrtMalloc((void**)&dy, 64 * sizeof(float), ACL_MEM_MALLOC_NORMAL_ONLY);
    aclrtMalloc((void**)&dz, bytes, ACL_MEM_MALLOC_HUGE_FIRST);
    aclrtMemcpyAsync(dx, bytes, x.data(), bytes, ACL_MEMCPY_HOST_TO_DEVICE, a);
    aclrtRecordEvent(start, a);
    demo::LaunchRowSum(8, a, dx, dy, args);
    aclrtRecordEvent(stop, a);
    demo::LaunchFill(3, b, dz, 1.5f, (int64_t)x.size() - 5);
    aclrtMemsetAsync(dz + x.size() - 5, 5 * sizeof(float), 0, 5 * sizeof(float), b);
    aclrtStreamWaitEvent(b, stop);
    demo::LaunchAxpy(7, b, dx, dz, 2.0f, x.size() - 5);
    aclrtRecordEvent(ready, b);
    aclrtSynchronizeEvent(ready);
    ret = aclrtSynchronizeStreamWithTimeout(b, 10000);
    CHECK_RET(ret == ACL_SUCCESS, LOG_PRINT("sync %d\n", ret); return ret);
    float ms = -1;
    aclrtEventElapsedTime(&ms, start, stop);
    aclrtEventRecordedStatus status;
    aclrtQueryEventStatus(ready, &status);
    CHECK_RET(ms >= 0 && status == ACL_EVENT_RECORDED_STATUS_COMPLETE, return 3);
    std::vector<float> y(64), z(x.size());
    aclrtMemcpy(y.data(), 64 * 4, dy, 64 * 4, ACL_MEMCPY_DEVICE_TO_HOST);
    aclrtMemcpy(z.data(), bytes, dz, bytes, ACL_MEMCPY_DEVICE_TO_HOST);
    for (int r = 0; r < 64; ++r) {
        double s = 0;
        for (int c = 0; c < 256; ++c) s += x[r * 256 + c];
        if (std::fabs(s * 0.5 - y[r]) > 1e-3) { LOG_PRINT("row %d %f %f\n", r, s * 0.5, y[r]); return 4; }
    }
    for (size_t i = 0; i < z.size(); ++i) {
        float want = i < z.size() - 5 ? 1.5f + 2.0f * x[i] : 0.0f;
        if (std::fabs(want - z[i]) > 1e-4) { LOG_PRINT("z %zu %f %f\n", i, want, z[i]); return 5; }
    }
    CHECK_RET(WriteFile("output.bin", z.data(), bytes), return 6);
    aclrtDestroyEvent(start); aclrtDestroyEvent(stop); aclrtDestroyEvent(ready);
    aclrtFree(dx); aclrtFree(dy); aclrtFree(dz);
    aclrtDestroyStream(a); aclrtDestroyStream(b);
    aclrtDestroyContext(context);
    aclrtResetDevice(0);
    aclFinalize();
    LOG_PRINT("test pass\n");
    return 0;
}
