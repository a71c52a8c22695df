# Have buckets mounted here. Arguments: `mount PROGRAM yes|no` (whether it may be installed), or `unmount`.
# Standard input: words that end with a zero byte: `prefix SCRIPT` or `bucket KEY PATH COMMAND…`, before each of these
# the number of its words.
# `$folder/NAME` is about one mount: its path, its key, the command that mounts it, the log. The agent mends mounts
# by the same files.
works() { false; }

# The type of what is mounted at a path; the last mount hides those before it.
type_at() { awk -v path="$1" '$2 == path { type = $3 } END { print type }' /proc/self/mounts; }

# A look at a mount whose server has gone may never end.
answers() { timeout --signal=KILL 10 stat -- "$1" > /dev/null 2>&1; }

unmount() {
  local tries=0
  while [ -n "$(type_at "$1")" ]; do
    [ "$tries" -lt 5 ] || refuse "$1 cannot be unmounted"
    tries=$((tries + 1))
    fusermount3 -u "$1" 2> /dev/null || fusermount -u "$1" 2> /dev/null || as_root umount "$1" 2> /dev/null ||
      fusermount -uz "$1" 2> /dev/null || as_root umount --lazy "$1" 2> /dev/null || true
  done
}

forget() {
  unmount "$(cat "$1/path")"
  rmdir "$(cat "$1/path")" 2> /dev/null || true
  rm -rf "$1"
}

# Every mount that is not in the list `wanted`.
forget_others() {
  local own
  for own in "$folder"/*/path; do
    [ -f "$own" ] || continue
    own="${own%/path}"
    case " $wanted " in *" ${own##*/} "*) ;; *) forget "$own" ;; esac
  done
}

require_program() {
  command -v "$program" > /dev/null && return
  [ "$program" = gcsfuse ] || refuse "there is no $program here (gcsfuse.program)"
  [ "$install" = yes ] || refuse "there is no gcsfuse here, and gcsfuse.install is false"
  command -v apt-get curl > /dev/null || refuse "there is no gcsfuse here, and no apt-get and curl to install it"
  echo "Installing gcsfuse" >&2
  add_packages
  install_packages gcsfuse
}

# Google's own packages, with their key for these alone.
add_packages() {
  local key=/usr/share/keyrings/gcsfuse.asc codename said
  codename="$(. /etc/os-release && echo "$VERSION_CODENAME")"
  said="$(curl --fail --silent --show-error --retry 3 --max-time 60 --output "$folder/packages.asc" \
    https://packages.cloud.google.com/apt/doc/apt-key.gpg 2>&1)" ||
    refuse "there is no gcsfuse here, and the key of its packages cannot be had: $(head -n 1 <<< "$said")"
  as_root cp "$folder/packages.asc" "$key"
  as_root chmod 644 "$key"
  echo "deb [signed-by=$key] https://packages.cloud.google.com/apt gcsfuse-$codename main" |
    as_root tee /etc/apt/sources.list.d/gcsfuse.list > /dev/null
}

make_place() {
  mkdir -p "$1" 2> /dev/null || { as_root mkdir -p "$1" && as_root chown "$(id -u):$(id -g)" "$1"; } ||
    refuse "$1 (gcsfuse.mount_path) cannot be made"
  [ -z "$(ls -A "$1")" ] || refuse "there are files in $1 (gcsfuse.mount_path), which a mount would hide"
}

# Arguments: the folder about it, key, path, command. What is written comes first: a mount of ours is never taken
# for one of others.
mount_new() {
  local own="$1" key="$2" path="$3"
  shift 3
  require_program
  make_place "$path"
  mkdir -p "$own"
  echo "$path" > "$own/path"
  # the server is no part of the command that starts it: `unset` hides it from who ends that one
  { printf '%s\n' '#!/usr/bin/env bash' 'unset TPUHERD_EXEC_ID' && printf '%q ' exec "${@:1:$#-1}" --log-file="$own/log" "${!#}" "$path"; } > "$own/mount"
  chmod 700 "$own/mount"
  : > "$own/log"
  "$own/mount" < /dev/null > "$own/output" 2>&1 8>&- || refuse "$path cannot be mounted: $(why "$own")"
  answers "$path" || refuse "$path was mounted and does not answer: $(why "$own")"
  echo "$key" > "$own/key"
  echo "mounted $path, $("$program" --version 2>&1 < /dev/null | head -n 1)"
}

why() { tail -n 5 "$1/output" "$1/log" 2> /dev/null | grep -v -e '^==>' -e '^$' | tail -n 3 | paste -s -d ' '; }

# Arguments: key, path, command.
ensure() {
  local path own found
  path="$(realpath -m "${2/#'~'/"$HOME"}")"
  own="$folder/$(echo "$path" | sha256sum | head -c 16)"
  wanted="$wanted ${own##*/}"
  found="$(type_at "$path")"
  if [ -n "$found" ]; then
    [ -f "$own/path" ] || refuse "$path is mounted already ($found), not by tpuherd"
    [ "$(cat "$own/key" 2> /dev/null)" != "$1" ] || ! answers "$path" || return 0
    unmount "$path"
  fi
  run_prefixes
  mount_new "$own" "$1" "$path" "${@:3}"
}

# Scripts that make room for caches: only where something is mounted anew.
run_prefixes() {
  local script
  for script in "${prefixes[@]}"; do
    printf '%s' "$script" | bash > /dev/null 2> "$folder/prefix.log" 8>&- ||
      refuse "gcsfuse.cache.prefix failed: $(tail -n 3 "$folder/prefix.log")"
  done
  prefixes=()
}

mkdir -p "$folder"
exec 8> "$folder/lock"
flock 8
wanted='' prefixes=()
if [ "$1" = unmount ]; then
  forget_others
  exit
fi
program="$2" install="$3"
mapfile -d '' -t words
while [ "${#words[@]}" -gt 0 ]; do
  count="${words[0]}"
  set -- "${words[@]:1:count}"
  words=("${words[@]:count+1}")
  case "$1" in
    prefix) prefixes+=("$2") ;;
    bucket) ensure "${@:2}" < /dev/null ;;
  esac
done
forget_others
