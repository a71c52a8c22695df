# A folder in memory. Arguments: `mount PATH SIZE_KIB keep|wipe JOB ATTEMPT` (no size: no bound), or `unmount`.
# `$folder/state` says what was mounted: it is written first, so that no mount of ours is taken for another's.
works() { false; }

read_state() {
  [ -f "$folder/state" ] || return 1
  { read -r mounted_path && read -r last_job && read -r last_attempt; } < "$folder/state"
}

write_state() {
  printf '%s\n' "$@" > "$folder/state.new"
  mv "$folder/state.new" "$folder/state"
}

# The type of what is mounted at a path; the last mount hides those before it.
type_at() { awk -v path="$1" '$2 == path { type = $3 } END { print type }' /proc/self/mounts; }

unmount() {
  [ -n "$(type_at "$1")" ] || return 0
  # lazily if somebody still works in it: the memory is free when that has ended
  as_root umount "$1" 2> /dev/null || as_root umount --lazy "$1" 2> /dev/null || [ -z "$(type_at "$1")" ] ||
    refuse "$1 cannot be unmounted"
}

leave_all() {
  read_state || return 0
  unmount "$mounted_path"
  as_root rmdir "$mounted_path" 2> /dev/null || true
  rm -f "$folder/state"
}

require_memory() {
  local memory_kib
  memory_kib="$(awk '$1 == "MemTotal:" { print $2 }' /proc/meminfo)"
  [ "$size_kib" -le "$memory_kib" ] ||
    refuse "ramfs.size_gib: $((size_kib >> 20)) GiB do not fit: this machine has $((memory_kib >> 20)) GiB of memory"
}

mount_new() {
  local owner
  owner="$(id -u):$(id -g)"
  as_root mkdir -p "$path" 2> /dev/null || refuse "$path (ramfs.path) cannot be made"
  [ -z "$(as_root ls -A "$path")" ] || refuse "there are files in $path (ramfs.path), which a mount would hide"
  write_state "$path" "$job" "$attempt"
  said="$(as_root mount -t "$type" ${size_kib:+-o "size=${size_kib}k"} tpuherd-ramfs "$path" 2>&1)" ||
    refuse "$path (ramfs.path) cannot be mounted: $said"
  as_root chown "$owner" "$path"
  as_root chmod 755 "$path"
}

# Another size needs no new folder: what is in it stays.
fit() {
  [ -z "$size_kib" ] || [ "$(df --output=size -k "$path" | tail -n 1 | tr -d ' ')" = "$size_kib" ] ||
    said="$(as_root mount -o "remount,size=${size_kib}k" "$path" 2>&1)" ||
    refuse "$path (ramfs.path) cannot be resized: $said"
}

# Everything, also what begins with a dot, and what root has written (containers do).
wipe() {
  as_root find "$path" -xdev -mindepth 1 -delete
  [ -z "$(as_root ls -A "$path")" ] || refuse "$path (ramfs.path) cannot be wiped"
}

mkdir -p "$folder"
exec 8> "$folder/lock"
flock 8
if [ "$1" = unmount ]; then
  leave_all
  exit
fi
path="${2/#'~'/"$HOME"}"
path="$(realpath -m "$path")" size_kib="$3" between="$4" job="$5" attempt="$6"
type=ramfs
[ -z "$size_kib" ] || { type=tmpfs && require_memory; }
mounted_path='' last_job='' last_attempt=''
read_state || true
[ -z "$mounted_path" ] || [ "$mounted_path" = "$path" ] || leave_all
found="$(type_at "$path")"
[ -z "$found" ] || [ "$mounted_path" = "$path" ] || refuse "$path (ramfs.path) is mounted already ($found), not by tpuherd"
if [ -n "$found" ] && [ "$found" != "$type" ]; then
  unmount "$path"
  found=
fi
if [ -z "$found" ]; then
  mount_new
  exit
fi
fit
[ "$last_job" = "$job" ] && { [ "$between" = keep ] || [ "$last_attempt" = "$attempt" ]; } || wipe
write_state "$path" "$job" "$attempt"
