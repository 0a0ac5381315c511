#!/usr/bin/env bash
# tools/check-layers passes on this repository and fails, with the place and the reason, on each kind of broken rule.
set -euo pipefail
tree=$(mktemp -d)
trap 'rm -rf "$tree"' EXIT

tools/check-layers

# planted FILE LINE REASON: a tree with that one line must be refused for that reason.
planted() {
  rm -rf "$tree/src" && mkdir -p "$tree/kernels" "$tree/$(dirname "$1")"
  echo "$2" >"$tree/$1"
  local said
  if said=$(tools/check-layers "$tree"); then echo "not refused: $2 in $1"; exit 1; fi
  [[ $said == "$1:1: "*"$3"* ]] || { echo "refused $2 in $1 with other words: $said"; exit 1; }
}
# fine FILE LINE: must pass.
fine() {
  rm -rf "$tree/src" && mkdir -p "$tree/kernels" "$tree/$(dirname "$1")"
  echo "$2" >"$tree/$1"
  tools/check-layers "$tree"
}

planted src/domain/ids.h '#include "core/store.h"' 'room domain may include: nothing'
planted src/core/plan.cpp '#include "runtime/runner.h"' 'room core may include: domain'
planted src/core/plan.cpp '#include <unistd.h>' 'room core may include, of outside libraries: none'
planted src/model/block.cpp '  #  include "train/trainer.h"' 'room model may include: kernels core domain'
planted src/runtime/runner.cpp '#include "infra/mpi/mpi_collective.h"' 'room runtime may include: core domain'
planted src/infra/hdf5/shard.cpp '#include "infra/posix/files.h"' 'room infra/hdf5 may include: core domain'
planted src/infra/mpi/mpi.cpp '#include <yaml-cpp/yaml.h>' 'room infra/mpi may include, of outside libraries: mpi.h'
planted src/util/strings.h '#include <string>' 'room util is not in the table'
fine src/core/plan.cpp '#include "domain/ids.h"'
fine src/core/plan.cpp '#include <algorithm>'
fine src/infra/mpi/mpi.cpp '#include <mpi.h>'
fine src/model/region.cpp '#include <sys/mman.h>'
fine src/app/main.cpp '#include "infra/mpi/mpi_collective.h"'
fine src/app/command_line.cpp '#include <CLI/CLI.hpp>'
planted src/core/plan.cpp '#include <CLI/CLI.hpp>' 'room core may include, of outside libraries: none'
