# Functions for the scripts that make environments on workers; the scripts come after them.
# Set before: only_look, folder, checked, disk_gib, disk_kib, lock_timeout_s.
set -euo pipefail

done_marker="$folder/.tpuherd-done"
package_locks=(/var/lib/dpkg/lock-frontend /var/lib/dpkg/lock /var/lib/apt/lists/lock /var/cache/apt/archives/lock)

# End with a reason that needs no log to be understood: the controller shows it for each worker.
refuse() {
  echo "$1" >&2
  exit 79
}

# Print the finished environment's versions and end, if there is one.
use_if_finished() {
  if [ -f "$done_marker" ] && works; then
    cat "$done_marker"
    [ ! -f "$checked" ] || echo "#preflight"
    exit 0
  fi
}

# Be the only one who makes this environment, in an empty place with room enough.
begin() {
  use_if_finished
  [ -z "${only_look:-}" ] || { echo "#missing"; exit 0; }
  mkdir -p "$(dirname "$folder")"
  exec 8> "$folder.lock"
  flock 8          # an interrupted controller's install may still be running
  use_if_finished  # it may also have ended well, and its environment be in use
  require_disk
  rm -rf "$folder"
  trap 'leave $?' EXIT
}

# After a failure nothing is left but what says so. A finished environment stays, even if telling about it failed
# because the controller is gone: another one may use it already.
leave() {
  [ "$1" -eq 0 ] || [ -f "$done_marker" ] || rm -rf "$folder"
}

# Arguments: a command that prints lines `name==version`. The marker comes last, and only after it has succeeded:
# without it, everything is made anew.
finish() {
  mkdir -p "$folder"
  "$@" > "$done_marker.new"
  mv "$done_marker.new" "$done_marker"
  cat "$done_marker"
}

require_disk() {
  local place free_kib
  place="$(dirname "$folder")"
  free_kib="$(df --output=avail -k "$place" | tail -n 1)"
  if [ "$free_kib" -lt "$disk_kib" ]; then
    local tenths=$((free_kib * 10 / 1048576))
    refuse "$((tenths / 10)).$((tenths % 10)) GiB are free in $place, environment.disk_gib wants $disk_gib"
  fi
}

# Wait until nobody holds one of the files that package managers lock. Debian updates itself after boot; a
# process that holds a lock is never ended, because that breaks what it installs.
# Arguments: files.
wait_for_locks() {
  local deadline=$((SECONDS + lock_timeout_s)) file told=
  while file="$(locked_one "$@")"; do
    [ "$SECONDS" -lt "$deadline" ] ||
      refuse "$file is still locked by another package manager after $lock_timeout_s s (environment.lock_timeout_s)"
    [ -n "$told" ] || echo "waiting: another package manager holds $file" >&2
    told=1
    sleep 0.5
  done
}

locked_one() {
  local file inode
  for file in "$@"; do
    inode="$(stat -c %i "$file" 2> /dev/null)" || continue
    if grep -q ":$inode " /proc/locks; then
      echo "$file"
      return 0
    fi
  done
  return 1
}

as_root() {
  if [ "$(id -u)" -eq 0 ]; then "$@"; else sudo -n "$@"; fi
}

# Arguments: Debian packages.
install_packages() {
  local apt=(env DEBIAN_FRONTEND=noninteractive apt-get -qq -o "DPkg::Lock::Timeout=$lock_timeout_s")
  wait_for_locks "${package_locks[@]}"
  as_root "${apt[@]}" install --yes --no-install-recommends "$@" >&2 && return
  as_root "${apt[@]}" update >&2
  as_root "${apt[@]}" install --yes --no-install-recommends "$@" >&2
}
