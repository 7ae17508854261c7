#pragma once
#include <string>
#include <vector>
bool ReadFile(const std::string& path, std::vector<float>& out);
bool WriteFile(const std::string& path, const void* data, size_t bytes);
