// Broken rules become errors of the compiler at their place, and nothing moves behind parts that `#if` skips.
_Pragma("GCC error \"kernel 'returns' must return void: results leave a kernel through __gm__ pointers\"") 
#line 2 "errors.asc"
__global__ __aicore__ int returns(GM_ADDR x) { FERRATA_ENTRY("returns", ::ferrata::Kind::any, 0, 0); FERRATA_FRAMEWORK_ARGUMENTS(x, x);
#line 2 "errors.asc"
                                               return 0; }
_Pragma("GCC error \"kernel 'both' is both __vector__ and __cube__; use __mix__(1, 2) for a mixed kernel\"") 
#line 3 "errors.asc"
__global__ __vector__ __cube__ void both(GM_ADDR x) { FERRATA_ENTRY("both", ::ferrata::Kind::any, 0, 0); FERRATA_FRAMEWORK_ARGUMENTS(x, x);
#line 3 "errors.asc"
                                                     }
_Pragma("GCC error \"kernel 'ratio': __mix__(2, 2) does not exist; use (1, 0), (0, 1), (1, 1) or (1, 2)\"") 
#line 4 "errors.asc"
__global__ __mix__(2, 2) void ratio(GM_ADDR x) { FERRATA_ENTRY("ratio", ::ferrata::Kind::mix, 2, 2);
#line 4 "errors.asc"
                                                }
__global__ __vector__ void fine(GM_ADDR x) { FERRATA_ENTRY("fine", ::ferrata::Kind::vector, 0, 1);
#line 5 "errors.asc"
                                            }
void host(void* s)
{
    _Pragma("GCC error \"fine<<<...>>> has 4 launch arguments: that is the SIMT form, which this architecture does not have; write fine<<<numBlocks, dynUBufSize, stream>>>(...), for example fine<<<8, 0, stream>>>\"") 
#line 8 "errors.asc"
    (void)0
#line 8 "errors.asc"
                                 ;
    _Pragma("GCC error \"kernel 'fine' is called like a function; a kernel starts with fine<<<numBlocks, 0, stream>>>(...)\"") 
#line 9 "errors.asc"
    fine(nullptr);
#if 0
    _Pragma("GCC error \"fine<<<...>>> has 4 launch arguments: that is the SIMT form, which this architecture does not have; write fine<<<numBlocks, dynUBufSize, stream>>>(...), for example fine<<<8, 0, stream>>>\"") 
#line 11 "errors.asc"
    (void)0
#line 11 "errors.asc"
                                 ; /* don't */
#else
#line 13 "errors.asc"
    ::ferrata::launch("fine", 
#line 13 "errors.asc"
           1, 0, s).run([&](auto... ferrata_a) { 
#line 13 "errors.asc"
    fine(ferrata_a...); }, 
#line 13 "errors.asc"
                      nullptr);
#endif
#line 15 "errors.asc"
    int after = __LINE__;
}
