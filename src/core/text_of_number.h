#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace lastro {

// The shortest text that reads back as the same number, whatever the locale. A real number always has a point or an exponent:
// 3.0, 0.1, 1e-09, 1e+300; infinities and NaN are "inf", "-inf" and "nan".
std::string text_of(std::int64_t value);
std::string text_of(double value);

// "1 rank", "3 ranks".
std::string counted(std::int64_t count, std::string_view thing);

}   // namespace lastro
