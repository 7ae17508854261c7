// Launches in every form that is legal, and text that only looks like one: k<<<1>>>(x)
#include "kernel_operator.h"
extern "C" __global__ __aicore__ void add(GM_ADDR x);
namespace a { namespace b { __vector__ __global__ void nk(); } }
template <typename T, int N> __global__ __vector__ void tk(__gm__ T* x, T v);
void host(float* p, void* stream, int n, int m)
{
    ::ferrata::launch("add", 
#line 8 "launches.asc"
          8, nullptr, stream).run([&](auto... ferrata_a) { 
#line 8 "launches.asc"
    add(ferrata_a...); }, 
#line 8 "launches.asc"
                                p); ::ferrata::launch("a::b::nk", 
#line 8 "launches.asc"
                                               1).run([&]() { 
#line 8 "launches.asc"
                                    a::b::nk(); }
#line 8 "launches.asc"
                                                    );
    ::ferrata::launch("add", 
#line 9 "launches.asc"
          n, 0).run([&](auto... ferrata_a) { 
#line 9 "launches.asc"
    add(ferrata_a...); }, 
#line 9 "launches.asc"
                  ::ferrata::Zero{}
#line 9 "launches.asc"
                   );
    ::ferrata::launch("tk<float, (3 > 2)>", 
#line 10 "launches.asc"
                         std::max<int>(1, 2), 0, get<A<B<int>>>(stream)).run([&](auto... ferrata_a) { 
#line 10 "launches.asc"
    tk<float, (3 > 2)>(ferrata_a...); }, 
#line 10 "launches.asc"
                                                                           
        static_cast<float*>(p), ::ferrata::Zero{}
#line 11 "launches.asc"
                                 ,
        [&] { ::ferrata::launch("add", 
#line 12 "launches.asc"
                    1, 0).run([&](auto... ferrata_a) { 
#line 12 "launches.asc"
              add(ferrata_a...); }, 
#line 12 "launches.asc"
                            ::ferrata::Zero{}
#line 12 "launches.asc"
                                ); return 1; }());
    CHECK(::ferrata::launch("add", 
#line 13 "launches.asc"
                8, 0, stream).run([&](auto... ferrata_a) { 
#line 13 "launches.asc"
          add(ferrata_a...); }, 
#line 13 "launches.asc"
                                f(p, pick<1, 0, 2>())));
    ::ferrata::launch("::a::b::nk", 
#line 14 "launches.asc"
                 n < m ? 1 : 2, 0, get<int>).run([&]() { 
#line 14 "launches.asc"
    ::a::b::nk(); }
#line 14 "launches.asc"
                                               );
    ::ferrata::launch("add", 
#line 15 "launches.asc"
          n,
          nullptr,
          stream).run([&](auto... ferrata_a) { 
#line 15 "launches.asc"
    add(ferrata_a...); }, 
#line 18 "launches.asc"
         p);
    ::ferrata::launch("table[3]", 
#line 19 "launches.asc"
               1).run([&](auto... ferrata_a) { 
#line 19 "launches.asc"
    table[3](ferrata_a...); }, 
#line 19 "launches.asc"
                    p); ::ferrata::launch("object.member->call", 
#line 19 "launches.asc"
                                              2).run([&](auto... ferrata_a) { 
#line 19 "launches.asc"
                        object.member->call(ferrata_a...); }, 
#line 19 "launches.asc"
                                                   p);
    const char* s = "k<<<1>>>(2)"; auto raw = R"x(k<<<1>>>(2)"))x"; int big = 1'000'000; char c = '<';
    /* k<<<1>>>(x) */ if (n << m < big) { return; }
    ::ferrata::launch("Traits<int>::template kernel<2>", 
#line 22 "launches.asc"
                                      1, 0, stream).run([&](auto... ferrata_a) { 
#line 22 "launches.asc"
    Traits<int>::template kernel<2>(ferrata_a...); }, 
#line 22 "launches.asc"
                                                      p /* the pointer */, /* none */ nullptr);
}
struct Stream { Stream& operator<<<int>(int); };
