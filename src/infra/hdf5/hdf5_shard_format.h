#pragma once

#include "core/shard_format.h"

namespace lastro {

// Shards as HDF5 files; the layout is described in hdf5_layout.h. Opens with any HDF5 library (h5py: h5py.File(path)["weights/block-00"][:]).
class Hdf5ShardFormat final : public ShardFormat {
 public:
  ShardPlaces lay_out(const std::filesystem::path& path, const ShardHeader& header) const override;
};

}   // namespace lastro
