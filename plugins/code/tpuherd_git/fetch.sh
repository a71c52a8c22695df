# Fetch a commit into a snapshot of its own. Prints `lfs` if there are pointers instead of large files, and the commit.
# Arguments: address, ref, depth (0: all), how many snapshots to keep, the commit that it must be (`any`: whatever
# the ref is now).
export GIT_TERMINAL_PROMPT=0
export GIT_SSH_COMMAND="${GIT_SSH_COMMAND:-ssh -o BatchMode=yes -o StrictHostKeyChecking=accept-new}"
url=$1 ref=$2 depth=$3 keep=$4 want=$5
work="$own/work"
cache="$own/$(printf %s "$url" | sha256sum | cut -c 1-24).git"
command -v git > /dev/null || { echo "git is not installed on this worker; use fetch_on: controller" >&2; exit 1; }
enter_own
exec 9> lock
flock 9

again() { # a crowd of workers at one origin: try again, not all at the same time
  for pause in 1 2 4 8; do
    "$@" && return 0
    sleep "$pause.$(od -An -N1 -tu1 /dev/urandom | tr -d ' ')"
  done
  "$@"
}

open_cache() {
  [ ! -d "$cache" ] || return 0
  rm -rf "$cache.new"
  git init --quiet --bare --template= "$cache.new"
  git -C "$cache.new" config remote.origin.url "$url"
  mv -T "$cache.new" "$cache"
}

resolve() { # the ref as it is at the origin, else the beginning of a commit's id
  options="--quiet --force --no-tags"
  [ "$depth" = 0 ] || options="$options --depth=$depth"
  what=$ref
  [ "$want" = any ] || what=$want
  if git -C "$cache" cat-file -e "$what^{commit}" 2> /dev/null && [ "${#what}" = 40 ]; then
    commit=$what
  elif git -C "$cache" ls-remote --exit-code origin "$what" > /dev/null 2>&1 || [ "${#what}" = 40 ]; then
    again git -C "$cache" fetch $options origin "$what"
    commit=$(git -C "$cache" rev-parse --verify "FETCH_HEAD^{commit}")
  else
    again git -C "$cache" fetch --quiet --force --tags origin "+refs/heads/*:refs/remotes/origin/*"
    commit=$(git -C "$cache" rev-parse --verify "$what^{commit}")
  fi
  git -C "$cache" update-ref "refs/tpuherd/$commit" "$commit"
}

check_out() {
  rm -rf "$work"
  git init --quiet --template= "$work"
  git -C "$work" config remote.origin.url "$url"
  git -C "$work" fetch --quiet --no-tags "$cache" "refs/tpuherd/$commit"
  git -C "$work" checkout --quiet --detach "$commit"
  if [ -e "$work/.gitmodules" ]; then
    again git -C "$work" submodule --quiet update --init --recursive
  fi
  if git -C "$work" grep -q "filter=lfs" HEAD -- "*.gitattributes"; then get_large_files; fi
}

get_large_files() {
  if git lfs version > /dev/null 2>&1; then
    git -C "$work" lfs install --local > /dev/null
    again git -C "$work" lfs pull
  else
    echo lfs
  fi
}

trap 'rm -rf "$work"' EXIT
open_cache
resolve
if [ ! -d "$code/$commit" ]; then
  check_out
  mv -T "$work" "$code/$commit"
fi
echo "$commit" > "$own/used/$commit"
set_aside_old
rm -rf "$own/old"
echo "$commit"
