#pragma once

#include <cstdint>
#include <string>

#include "core/resources.h"
#include "domain/manifest.h"

namespace lastro {

// What a device can be counted on to do.
struct Speed {
  double peak_flops = 0;      // of one device, a second; 0: unknown
  double utilization = 0.4;   // share of it that is reached
};

// The manifest's stated peak, or else the measured one.
Speed speed_of(const Rates& rates, double measured_peak_flops);

// Seconds that the work keeps one device busy (N devices: an Nth of it each). Work counted in FLOPs takes none where the peak is unknown.
double device_seconds(const Resources& need, const Speed& speed);

// What devices cost that were held that long, one rank being one device.
double cost_usd(const Rates& rates, double device_seconds);

// "1.5 GiB", "12 MiB", "100 bytes"; "2.1e+15 FLOP"; "1.2 h", "35 s".
std::string bytes_text(std::int64_t bytes);
std::string flops_text(double flops);
std::string duration_text(double seconds);
std::string usd_text(double usd);

// Three significant digits, whatever the locale.
std::string rounded_text(double value);

}   // namespace lastro
