// CHECK("one fact", condition): prints "ok" or "FAIL" with the fact; the Python side makes one test of each.
#pragma once
#include <cstdio>

#define CHECK(fact, ...) printf("%s\t%s\n", (__VA_ARGS__) ? "ok" : "FAIL", fact)
