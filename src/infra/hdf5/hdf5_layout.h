#pragma once

#include <string>
#include <string_view>

// What an HDF5 shard file holds. `name : type shape` is a dataset, `@name : type` an attribute of what stands above it; T = tiles, E = elements.
//
//   shard        = /  @format : text                    "lastro-checkpoint-shard"
//                     @format_version : i64             1
//                     @stage_key : text                 64 hexadecimal digits
//                     @step : i64                       optimizer steps done
//                     @rank, @world : i64               which part of how many
//                     @tile_elements : i64              the grain of digests
//                     plane...  tile_digests
//   plane        = /<plane>/                            "weights", "adam_m", "adam_v"; in the layout's order
//                     unit...
//   unit         = /<plane>/<unit> : f32 little-endian [E], contiguous
//                     @unit_elements : i64              of the whole unit, over all ranks
//                     @begin, @end : i64                this file holds the elements [begin, end) of the unit; E = end - begin, may be 0
//   tile_digests = /tile_digests : u8 [T, 32], contiguous
//                                                       SHA-256 of each tile's bytes, in the order of plane, unit, tile
//
// Tile t of a unit is its elements [t * tile_elements, (t + 1) * tile_elements), the last one may be shorter; begin and end lie on tile borders.
// No time, name of a host or other accident is in the file: equal state and world give equal bytes. File format: HDF5 1.8.
namespace lastro::hdf5_layout {

inline constexpr std::string_view format = "lastro-checkpoint-shard";
inline constexpr long long format_version = 1;
inline constexpr const char* tile_digests = "tile_digests";
inline constexpr int digest_bytes = 32;
inline constexpr int data_alignment_bytes = 4096;   // large datasets begin on pages

}   // namespace lastro::hdf5_layout
