# build PRESET TARGET...: configures where needed and builds; all that is said goes to stderr.
build() {
  local preset=$1 folder=build/$1
  shift
  local torch=
  case $preset in
    asan | tsan) ;;   # LibTorch is not built with sanitizers
    *) torch=${LASTRO_TORCH:-$PWD/.deps/torch} ;;
  esac
  [[ -e $torch/include/ATen/ATen.h ]] || torch=
  if [[ CMakePresets.json -nt $folder/build.ninja ]] || ! grep -qxF "LASTRO_TORCH:PATH=$torch" "$folder/CMakeCache.txt" 2>/dev/null; then
    cmake --preset "$preset" -D LASTRO_TORCH="$torch" >&2
    touch "$folder/build.ninja"
  fi
  cmake --build --preset "$preset" --target "$@" >&2
}
