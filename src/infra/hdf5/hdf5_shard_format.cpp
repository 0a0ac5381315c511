#include "infra/hdf5/hdf5_shard_format.h"

#include <hdf5.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <utility>

#include "core/crash_points.h"
#include "domain/errors.h"
#include "infra/hdf5/hdf5_layout.h"

namespace lastro {
namespace {

// The innermost entry of the library's error stack, where the reason stands.
herr_t innermost(unsigned, const H5E_error2_t* entry, void* text) {
  if (entry->desc && static_cast<std::string*>(text)->empty()) *static_cast<std::string*>(text) = entry->desc;
  return 0;
}

// The stack says "errno = 28" where a system call failed.
int errno_in(const std::string& text) {
  const std::size_t at = text.find("errno = ");
  return at == std::string::npos ? 0 : std::atoi(text.c_str() + at + 8);
}

hid_t check(hid_t result, const char* call) {
  if (result >= 0) return result;
  std::string reason;
  H5Ewalk2(H5E_DEFAULT, H5E_WALK_UPWARD, innermost, &reason);
  const int error = errno_in(reason);
  throw EnvironmentError("hdf5 failed in " + std::string(call) + " (" +
                             (error            ? std::strerror(error)
                              : reason.empty() ? "no reason given"
                                               : reason) +
                             ")",
                         "hdf5", call, error);
}

class Handle {
 public:
  Handle(hid_t id, herr_t (*close)(hid_t), const char* call) : id_(check(id, call)), close_(close) {}
  ~Handle() {
    if (id_ >= 0) close_(id_);
  }
  Handle(Handle&& other) noexcept : id_(std::exchange(other.id_, -1)), close_(other.close_) {}
  Handle& operator=(Handle&&) = delete;
  operator hid_t() const { return id_; }
  void close(const char* call) { check(close_(std::exchange(id_, -1)), call); }

 private:
  hid_t id_;
  herr_t (*close_)(hid_t);
};

Handle scalar_space() { return {H5Screate(H5S_SCALAR), H5Sclose, "H5Screate"}; }

void write_attribute(hid_t object, const char* name, std::int64_t value) {
  const Handle space = scalar_space();
  const Handle attribute(H5Acreate2(object, name, H5T_STD_I64LE, space, H5P_DEFAULT, H5P_DEFAULT), H5Aclose, "H5Acreate2");
  check(H5Awrite(attribute, H5T_NATIVE_INT64, &value), "H5Awrite");
}

void write_attribute(hid_t object, const char* name, std::string_view text) {
  const Handle type(H5Tcopy(H5T_C_S1), H5Tclose, "H5Tcopy");
  check(H5Tset_size(type, text.empty() ? 1 : text.size()), "H5Tset_size");
  check(H5Tset_strpad(type, H5T_STR_NULLPAD), "H5Tset_strpad");
  check(H5Tset_cset(type, H5T_CSET_UTF8), "H5Tset_cset");
  const Handle space = scalar_space();
  const Handle attribute(H5Acreate2(object, name, type, space, H5P_DEFAULT, H5P_DEFAULT), H5Aclose, "H5Acreate2");
  const std::string padded = text.empty() ? std::string(1, '\0') : std::string(text);
  check(H5Awrite(attribute, type, padded.data()), "H5Awrite");
}

Handle timeless(hid_t kind) {
  Handle list(H5Pcreate(kind), H5Pclose, "H5Pcreate");
  check(H5Pset_obj_track_times(list, false), "H5Pset_obj_track_times");
  return list;
}

// Contiguous, with its place in the file from the start, and never filled: the bytes are written afterwards.
Handle dataset_properties() {
  Handle list = timeless(H5P_DATASET_CREATE);
  check(H5Pset_layout(list, H5D_CONTIGUOUS), "H5Pset_layout");
  check(H5Pset_alloc_time(list, H5D_ALLOC_TIME_EARLY), "H5Pset_alloc_time");
  check(H5Pset_fill_time(list, H5D_FILL_TIME_NEVER), "H5Pset_fill_time");
  return list;
}

class Layout {
 public:
  Layout(const std::filesystem::path& path, const ShardHeader& header) : header_(header), file_(create(path)), properties_(dataset_properties()) {
    write_attribute(file_, "format", hdf5_layout::format);
    write_attribute(file_, "format_version", hdf5_layout::format_version);
    write_attribute(file_, "stage_key", header.stage_key);
    write_attribute(file_, "step", header.step.value);
    write_attribute(file_, "rank", header.rank.value);
    write_attribute(file_, "world", header.world);
    write_attribute(file_, "tile_elements", header.layout.tile_elements);
  }

  ShardPlaces make() {
    ShardPlaces places;
    std::int64_t tiles = 0;
    const Handle group_properties = timeless(H5P_GROUP_CREATE);
    for (const std::string& plane : header_.layout.planes) {
      const Handle group(H5Gcreate2(file_, plane.c_str(), H5P_DEFAULT, group_properties, H5P_DEFAULT), H5Gclose, "H5Gcreate2");
      auto& offsets = places.data.emplace_back();
      for (const StateLayout::Unit& unit : header_.layout.units) {
        const Interval part = shard_of(unit.elements, header_.layout.tile_elements, header_.rank, header_.world);
        tiles += tiles_of(part.size(), header_.layout.tile_elements);
        offsets.push_back(make_unit(group, unit, part));
      }
    }
    places.tile_digests = make_dataset(file_, hdf5_layout::tile_digests, H5T_STD_U8LE, {tiles, hdf5_layout::digest_bytes}, [](hid_t) {});
    file_.close("H5Fclose");
    return places;
  }

 private:
  static Handle create(const std::filesystem::path& path) {
    const Handle access(H5Pcreate(H5P_FILE_ACCESS), H5Pclose, "H5Pcreate");
    check(H5Pset_libver_bounds(access, H5F_LIBVER_V18, H5F_LIBVER_V18), "H5Pset_libver_bounds");
    check(H5Pset_alignment(access, hdf5_layout::data_alignment_bytes, hdf5_layout::data_alignment_bytes), "H5Pset_alignment");
    const Handle creation = timeless(H5P_FILE_CREATE);
    return {H5Fcreate(path.c_str(), H5F_ACC_TRUNC, creation, access), H5Fclose, "H5Fcreate"};
  }

  std::int64_t make_unit(hid_t group, const StateLayout::Unit& unit, Interval part) {
    return make_dataset(group, unit.name.c_str(), H5T_IEEE_F32LE, {part.size()}, [&](hid_t dataset) {
      write_attribute(dataset, "unit_elements", unit.elements);
      write_attribute(dataset, "begin", part.begin);
      write_attribute(dataset, "end", part.end);
    });
  }

  // Returns where its bytes lie.
  template <class Describe>
  std::int64_t make_dataset(hid_t parent, const char* name, hid_t type, const std::vector<std::int64_t>& shape, Describe describe) {
    const std::vector<hsize_t> extent(shape.begin(), shape.end());
    const Handle space(H5Screate_simple(static_cast<int>(extent.size()), extent.data(), nullptr), H5Sclose, "H5Screate_simple");
    const Handle dataset(H5Dcreate2(parent, name, type, space, H5P_DEFAULT, properties_, H5P_DEFAULT), H5Dclose, "H5Dcreate2");
    describe(dataset);
    if (extent[0] == 0) return ShardPlaces::nowhere;
    const haddr_t offset = H5Dget_offset(dataset);
    if (offset == HADDR_UNDEF) check(-1, "H5Dget_offset");
    return static_cast<std::int64_t>(offset);
  }

  const ShardHeader& header_;
  Handle file_;
  Handle properties_;
};

}   // namespace

ShardPlaces Hdf5ShardFormat::lay_out(const std::filesystem::path& path, const ShardHeader& header) const {
  // A library built without thread safety must not be entered twice; laying out is short.
  static std::mutex one_at_a_time;
  const std::lock_guard lock(one_at_a_time);
  const AroundCall around("shard", "layout");
  if (const int error = around.injected())
    throw EnvironmentError(path.string() + " cannot be laid out (" + std::strerror(error) + ")", "hdf5", "H5Fcreate", error);
  check(H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr), "H5Eset_auto2");
  ShardPlaces places = Layout(path, header).make();
  places.file_bytes = static_cast<std::int64_t>(std::filesystem::file_size(path));
  return places;
}

}   // namespace lastro
