#include "core/cost.h"

#include <charconv>

namespace lastro {

Speed speed_of(const Rates& rates, double measured_peak_flops) {
  return {rates.peak_tflops ? *rates.peak_tflops * 1e12 : measured_peak_flops, rates.utilization};
}

double device_seconds(const Resources& need, const Speed& speed) {
  const double computing = speed.peak_flops > 0 ? need.flops / (speed.peak_flops * speed.utilization) : 0.0;
  return computing + need.other_device_s;
}

double cost_usd(const Rates& rates, double device_seconds) { return rates.usd_per_device_hour * device_seconds / 3600.0; }

std::string rounded_text(double value) {
  char digits[32];
  return std::string(digits, std::to_chars(digits, digits + sizeof digits, value, std::chars_format::general, 3).ptr);
}

std::string bytes_text(std::int64_t bytes) {
  const auto of = [bytes](int shift) { return rounded_text(static_cast<double>(bytes) / static_cast<double>(std::int64_t{1} << shift)); };
  if (bytes >= std::int64_t{1000} << 20) return of(30) + " GiB";
  if (bytes >= std::int64_t{1000} << 10) return of(20) + " MiB";
  if (bytes >= 1000) return of(10) + " KiB";
  return std::to_string(bytes) + " bytes";
}

std::string flops_text(double flops) { return rounded_text(flops) + " FLOP"; }

std::string duration_text(double seconds) {
  if (seconds >= 2 * 3600) return rounded_text(seconds / 3600) + " h";
  if (seconds >= 2 * 60) return rounded_text(seconds / 60) + " min";
  return rounded_text(seconds) + " s";
}

std::string usd_text(double usd) { return rounded_text(usd) + " USD"; }

}   // namespace lastro
