# Make a snapshot out of the last one and what comes on standard input. Prints `present`, `made`, or `need BASE`.
# Arguments: the snapshot's id, the id of the one that the input starts from (`none`: it is all there),
# how many snapshots to keep, and how the input is packed (`plain` or `gzip`).
#
# ID/           a snapshot: jobs run in it and may write into it, so nothing is ever made of it again
# .own/base     the last snapshot once more, untouched by jobs; `.own/base.id` is there while it is whole
# .own/ready    a copy of it that becomes the next snapshot; `.own/ready.id` as above
# .own/work     what is under way; what a killed process left there is removed by the next one
# .own/used/    when each snapshot was asked for last
set -eu
export LC_ALL=C
umask 022
id=$1 base=$2 keep=$3 packing=$4
code="$HOME/.tpuherd/code"
own="$code/.own"
work="$own/work"
[ -d "$own/used" ] || mkdir -p "$own/used"
exec 9> "$own/lock"
flock 9

answer_if_present() {
  [ -d "$code/$id" ] || return 0
  echo "$id" > "$own/used/$id"
  cat > /dev/null
  echo present
  exit 0
}

answer_if_other_base() {
  has=none
  if [ -f "$own/base.id" ]; then read -r has < "$own/base.id"; fi
  [ "$base" = none ] || [ "$base" = "$has" ] || { cat > /dev/null; echo "need $has"; exit 0; }
}

unpack() {
  [ ! -e "$work" ] || rm -rf "$work"
  mkdir "$work"
  case "$packing" in
    gzip) tar -xzmpf - -C "$work" ;;
    *) tar -xmpf - -C "$work" ;;
  esac
}

apply_to() { # files are replaced, never written into
  [ ! -s "$work/gone" ] || (cd "$1" && xargs -0 rm -rf -- < "$work/gone")
  cp -a --remove-destination "$work/tree/." "$1/"
}

get_ready() {
  is=none
  if [ -f "$own/ready.id" ]; then read -r is < "$own/ready.id"; rm -f "$own/ready.id"; fi
  [ "$is" = "$base" ] || copy_base
}

copy_base() { # words: what to run it with
  rm -rf "$own/ready"
  "$@" cp -a --reflink=auto "$own/base" "$own/ready"
}

check() {
  [ ! -s "$work/sums" ] || (cd "$1" && sha256sum --check --quiet "$work/sums" >&2)
}

start_over() { # the input is the whole tree
  rm -rf "$own/base.id" "$own/ready.id" "$own/base" "$own/ready"
  check "$work/tree"
  mv -T "$work/tree" "$own/base"
  echo "$id" > "$own/base.id"
  copy_base
}

go_on() {
  get_ready
  apply_to "$own/ready"
  check "$own/ready"
}

advance_base() {
  [ "$base" != none ] || return 0
  rm -f "$own/base.id"
  apply_to "$own/base"
  echo "$id" > "$own/base.id.new"
  mv "$own/base.id.new" "$own/base.id"
}

prepare_next() {
  copy_base nice -n 19
  echo "$id" > "$own/ready.id.new"
  mv "$own/ready.id.new" "$own/ready.id"
}

clean_up() {
  rm -rf "$work"
  [ -f "$own/ready.id" ] || rm -rf "$own/ready"
}

undo() { # on a full disk nothing of the failed try may stay
  [ "$base" != none ] || rm -rf "$own/base.id" "$own/base"
  clean_up
}

answer_if_present
answer_if_other_base
trap undo EXIT
unpack
if [ "$base" = none ]; then start_over; else go_on; fi
mv -T "$own/ready" "$code/$id"
echo "$id" > "$own/used/$id"
trap - EXIT
echo made
# What the next one needs is made while nobody waits for it; whoever comes too early waits for the lock.
(
  trap '' HUP
  trap clean_up EXIT
  set +e
  (set -e; advance_base; prepare_next)
  remove_old
) < /dev/null > /dev/null 2>&1 &
