// Kernel definitions: qualifiers in every order, templates, macros, declarations.
#define KERNEL extern "C" __global__ __aicore__
#define GENERATE(name) __global__ __vector__ void name##_kernel(GM_ADDR x) { FERRATA_ENTRY(FERRATA_NAME(name##_kernel), ::ferrata::Kind::vector, 0, 1);  run(x); } \
    void name##_start(int n) { ::ferrata::launch(FERRATA_NAME(name##_kernel), n, nullptr, 0).run([&](auto... ferrata_a) { name##_kernel(ferrata_a...); }, ::ferrata::Zero{}); }
extern "C" __global__ __aicore__ void one_line(GM_ADDR x) { FERRATA_ENTRY("one_line", ::ferrata::Kind::any, 0, 0); FERRATA_FRAMEWORK_ARGUMENTS(x, x);
#line 5 "kernels.asc"
                                                            work(x); }
__global__ __vector__ void next_line(GM_ADDR x)
{ FERRATA_ENTRY("next_line", ::ferrata::Kind::vector, 0, 1);
    work(x);
}
__global__ void __mix__(1, 2) after_void(GM_ADDR x) { FERRATA_ENTRY("after_void", ::ferrata::Kind::mix, 1, 2);
#line 10 "kernels.asc"
                                                      work(x); }
void __cube__ __global__ before_name(GM_ADDR x) noexcept { FERRATA_ENTRY("before_name", ::ferrata::Kind::cube, 1, 0);
#line 11 "kernels.asc"
                                                           work(x); }
template <typename T, int N = (3 > 2)>
__global__ __aicore__ __schedmode__(1) void templated(__gm__ T* x, T v = T(0)) { FERRATA_ENTRY("templated", ::ferrata::Kind::any, 0, 0);
#line 13 "kernels.asc"
                                                                                 work(x); }
template <> __global__ __aicore__ void templated<int, 1>(__gm__ int* x, int v) { FERRATA_ENTRY("templated", ::ferrata::Kind::any, 0, 0);
#line 14 "kernels.asc"
                                                                                 work(x); }
template __global__ __aicore__ void templated<float, 1>(__gm__ float* x, float v);
__global__ __attribute__((unused)) [[maybe_unused]] static void attributes(GM_ADDR x) { FERRATA_ENTRY("attributes", ::ferrata::Kind::any, 0, 0); FERRATA_FRAMEWORK_ARGUMENTS(x, x);
#line 16 "kernels.asc"
                                                                                       }
namespace a::b { __inline__ __aicore__ int helper(int x) { return x; } __global__ __vector__ void in(GM_ADDR x) { FERRATA_ENTRY("in", ::ferrata::Kind::vector, 0, 1);
#line 17 "kernels.asc"
                                                                                                                  helper(1); } }
__global__ __vector__ void declared(GM_ADDR x);
KERNEL void by_macro(GM_ADDR x) { FERRATA_ENTRY("by_macro", ::ferrata::Kind::any, 0, 0); FERRATA_FRAMEWORK_ARGUMENTS(x, x);
#line 19 "kernels.asc"
                                  work(x); }
GENERATE(made)
void (*pointer)(GM_ADDR) = &declared;
