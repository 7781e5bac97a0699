// catalog/kernels/default.yaml, for GPUs of an architecture that nobody measured: rows of those
// that were, on average.
#pragma once

#include <vector>

#include "fit/family.h"

namespace plimsoll {

/// The rows that default.yaml has, of a device with its kernels.
std::vector<Family> default_families(Device* device);

/// Gives the device's row of this family the mean of the measured devices that have one of their
/// own, to three digits; what only whole runs decide stays.
void put_mean(const Family& family, std::vector<Device>* measured, Device* device);

}  // namespace plimsoll
