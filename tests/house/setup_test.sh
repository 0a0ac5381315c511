#!/usr/bin/env bash
# tools/setup, where nothing can be installed: one line that says what is missing and what to type, exit status 3. A dpkg-query and an apt-get
# of the test's own stand in for the system's.
set -euo pipefail
tree=$(mktemp -d)
trap 'rm -rf "$tree"' EXIT
mkdir -p "$tree/bin" "$tree/checkout" && cp -r tools "$tree/checkout/"

stand_in() { cat >"$tree/bin/$1" && chmod +x "$tree/bin/$1"; }
expect() {   # expect STATUS PATTERN COMMAND...
  local status=0 said wanted=$1 pattern=$2
  shift 2
  said=$(PATH=$tree/bin:$PATH "$@" 2>&1) || status=$?
  [[ $status == "$wanted" && $said =~ $pattern ]] || { printf 'wanted %s and %s\ngot %s:\n%s\n' "$wanted" "$pattern" "$status" "$said"; exit 1; }
}
set_up=$tree/checkout/tools/setup

# given every package installed: then nothing is done and nothing said
stand_in dpkg-query <<'SCRIPT'
#!/bin/bash
for name in "${@:3}"; do echo "installed $name"; done
SCRIPT
expect 0 '^$' "$set_up"

# given one package missing and servers that do not answer
stand_in dpkg-query <<'SCRIPT'
#!/bin/bash
for name in "${@:3}"; do [[ $name == libhdf5-dev ]] || echo "installed $name"; done
SCRIPT
stand_in apt-get <<'SCRIPT'
#!/bin/bash
[[ $* == *update* ]] && { echo "Err:1 debian InRelease: Temporary failure resolving the server"; exit 0; }
echo "E: Unable to locate package libhdf5-dev" >&2; exit 100
SCRIPT
stand_in sudo <<'SCRIPT'
#!/bin/bash
[[ $1 == -n ]] && shift
exec "$@"
SCRIPT
expect 3 'cannot reach any package server \(.*Temporary failure resolving the server\) connect and run .* apt-get install --no-install-recommends libhdf5-dev' "$set_up"

# given a download that breaks off: then apt's own reason is shown
stand_in apt-get <<'SCRIPT'
#!/bin/bash
[[ $* == *--assume-no* ]] && { echo "Need to get 5 MB of archives."; exit 1; }
[[ $* == *update* ]] && { echo "Hit:1 debian InRelease"; exit 0; }
echo "E: Failed to fetch libhdf5-dev  Connection timed out"; exit 100
SCRIPT
expect 3 'Need to get 5 MB.*cannot install Debian packages \(.*Failed to fetch libhdf5-dev  Connection timed out\)' "$set_up"

# given neither root nor sudo
if [[ $EUID == 0 ]]; then
  command -v setpriv >/dev/null || { echo "skipped: no setpriv to leave root with"; exit 77; }
  chmod -R a+rX "$tree"
  rm "$tree/bin/sudo"
  if ! command -v sudo >/dev/null; then
    expect 3 '^set-up: cannot install 1 Debian packages \(neither root nor sudo\) ask an administrator to run: apt-get install --no-install-recommends libhdf5-dev$' \
      setpriv --reuid=65534 --regid=65534 --clear-groups "$set_up"
  fi
fi
expect 2 'unknown option --everything' "$set_up" --everything
