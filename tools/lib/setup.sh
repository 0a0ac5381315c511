# The steps of tools/setup. Each looks first whether there is anything to do, and costs milliseconds when there is not.

deps=$PWD/.deps
setup_log=$deps/setup.log
torch_version=2.13.0+cpu

say() { echo "set-up: $*" >&2; }

# cannot DOING REASON SUGGESTION: ends the set-up with one line.
cannot() {
  say "cannot $1 ($2) $3"
  exit 3
}

# Why apt or pip failed, by the last words that it left in the log.
reason_of_failure() {
  local reason
  reason=$(grep -aE '^(E:|Err|ERROR:|W: Failed)' "$setup_log" | grep -av 'Unable to fetch some archives' | tail -1 | sed -E 's/^(E|W|ERROR): //' | cut -c1-160) || true
  echo "${reason:-no reason given}"
}

as_root() { if [[ $EUID == 0 ]]; then "$@"; else sudo "$@"; fi; }

apt() { as_root env LC_ALL=C DEBIAN_FRONTEND=noninteractive apt-get -q -o Acquire::Retries=1 -o Acquire::http::Timeout=30 -o DPkg::Lock::Timeout=300 "$@"; }

missing_of() {
  comm -23 <(printf '%s\n' "$@" | sort) <(dpkg-query -W -f '${db:Status-Status} ${Package}\n' "$@" 2>/dev/null | sed -n 's/^installed //p' | sort)
}

install_debian_packages() {
  command -v dpkg-query >/dev/null || cannot "install Debian packages" "this system has no dpkg" "install by hand what these hold: $*"
  local missing
  mapfile -t missing < <(missing_of "$@")
  [[ ${#missing[@]} == 0 ]] && return
  local by_hand="apt-get install --no-install-recommends ${missing[*]}"
  if [[ $EUID != 0 ]] && ! command -v sudo >/dev/null; then
    cannot "install ${#missing[@]} Debian packages" "neither root nor sudo" "ask an administrator to run: $by_hand"
  fi
  if [[ $EUID != 0 ]] && ! sudo -n true 2>/dev/null && ! { [[ -t 0 ]] && sudo -v; }; then
    cannot "install ${#missing[@]} Debian packages" "sudo refuses" "ask an administrator to run: $by_hand"
  fi
  mkdir -p "$deps"
  refresh_package_lists
  grep -qaE '^(Hit|Get):' "$setup_log" ||
    cannot "reach any package server" "$(reason_of_failure)" "connect and run the same command again, or: $by_hand"
  local sizes
  sizes=$({ apt --assume-no --no-install-recommends install "${missing[@]}" 2>>"$setup_log" || true; } | grep -E '^(Need to get|After this)') ||
    cannot "find Debian packages" "$(reason_of_failure)" "connect and run the same command again, or: $by_hand"
  say "to install: ${missing[*]} and what they need"
  sed 's/^/set-up:   /' <<<"$sizes" >&2
  apt -y --no-install-recommends install "${missing[@]}" >>"$setup_log" 2>&1 ||
    cannot "install Debian packages" "$(reason_of_failure)" "connect and run the same command again, or: $by_hand; all of apt's words: $setup_log"
}

# Once a set-up: stale lists name files that the mirrors have deleted, and a bare system has no lists at all.
package_lists_are_fresh=no
refresh_package_lists() {
  [[ $package_lists_are_fresh == yes ]] && return
  say "reading Debian's package lists (about 10 MB)"
  apt update >"$setup_log" 2>&1 || true   # a third party's broken source is no reason to stop; what is missing shows next
  package_lists_are_fresh=yes
}

# Jane Austen's novels and the Jargon File: prose of two kinds, both in the public domain, in packages that Debian 12 and 13 share.
# They are unpacked here and not installed: slim images strip documentation, and nothing of the system needs to change for a text.
fetch_text() {
  local text=$deps/text
  [[ -e $text/.complete ]] && return
  local unpacked
  unpacked=$(mktemp -d) && mkdir -p "$text"
  download_packages "$unpacked" r-cran-janeaustenr dict-jargon
  tools/lib/novels-of-rdb "$unpacked/usr/lib/R/site-library/janeaustenr/data/Rdata.rdb" "$text/austen"
  cp "$unpacked/usr/share/dictd/jargon.dict.dz" "$text/"
  for package in r-cran-janeaustenr dict-jargon; do cp "$unpacked/usr/share/doc/$package/copyright" "$text/$package.copyright"; done
  rm -rf "$unpacked"
  touch "$text/.complete"
}

# download_packages FOLDER PACKAGE...: unpacks Debian packages into a folder of one's own; needs no root.
download_packages() {
  local folder=$1
  shift
  local by_hand="or give a text of your own: --set sources.novels.path=FILE"
  if ! LC_ALL=C apt-get --print-uris download "$@" >"$folder/uris" 2>/dev/null; then
    if [[ $EUID == 0 ]] || sudo -n true 2>/dev/null; then refresh_package_lists; fi
    LC_ALL=C apt-get --print-uris download "$@" >"$folder/uris" 2>>"$setup_log" ||
      cannot "find the packages $*" "$(reason_of_failure)" "connect and run the same command again, $by_hand"
  fi
  say "to download: $* for their text, $(awk '{ bytes += $3 } END { printf "%.1f MB", bytes / 1e6 }' "$folder/uris") (unpacked into .deps/text)"
  (cd "$folder" && apt-get -q -o Acquire::Retries=1 -o Acquire::http::Timeout=30 download "$@") >>"$setup_log" 2>&1 ||
    cannot "download the packages $*" "$(reason_of_failure)" "connect and run the same command again, $by_hand"
  for archive in "$folder"/*.deb; do dpkg-deb -x "$archive" "$folder"; done
}

# LibTorch lies in the wheel of its Python package. Which Python that is for does not matter: only its C++ half is kept.
fetch_libtorch() {
  [[ -e $deps/torch/.complete ]] && return
  local wheel
  wheel=$(mktemp -d "$deps/wheel.XXXXXX")
  say "to download: LibTorch $torch_version, about 190 MB (500 MB unpacked into .deps/torch); LASTRO_TORCH=FOLDER takes yours instead"
  python3 -m pip download -q --no-deps --python-version 3.11 --only-binary=:all: --platform "manylinux_2_28_$(uname -m)" \
    -d "$wheel" "torch==$torch_version" >>"$setup_log" 2>&1 ||
    cannot "download LibTorch" "$(reason_of_failure)" \
      "connect, or let pip know an index that has PyTorch's CPU builds (PIP_EXTRA_INDEX_URL), or unpack LibTorch and set LASTRO_TORCH=FOLDER"
  rm -rf "$deps/torch"
  python3 - "$wheel"/*.whl "$wheel" <<'PYTHON'
import sys, zipfile
wheel, folder = sys.argv[1:]
with zipfile.ZipFile(wheel) as archive:
    wanted = [name for name in archive.namelist() if name.startswith(("torch/include/", "torch/lib/")) and "libtorch_python" not in name]
    archive.extractall(folder, wanted)
PYTHON
  mv "$wheel/torch" "$deps/torch"
  rm -rf "$wheel"
  touch "$deps/torch/.complete"
}

# The other side of the interchange tests: h5py reads our checkpoints, tokenizers our vocabularies. Made anew for another Python.
fetch_python_libraries() {
  local python=$deps/python interpreter
  interpreter=$(realpath "$(command -v python3)")
  [[ -e $python/.complete && $(<"$python/.complete") == "$interpreter" ]] && return
  say "to download: the Python packages h5py, numpy and tokenizers, about 30 MB (into .deps/python)"
  rm -rf "$python"
  python3 -m pip install -q --no-deps --no-compile --no-warn-script-location --target "$python" h5py numpy tokenizers >>"$setup_log" 2>&1 ||
    cannot "download the Python packages h5py, numpy and tokenizers" "$(reason_of_failure)" "connect and run the same command again"
  echo "$interpreter" >"$python/.complete"
}
