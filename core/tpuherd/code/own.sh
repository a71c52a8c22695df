# For programs that put snapshots on a worker: the folder `.own`, and how trees are made of its inputs.
set -eu
export LC_ALL=C
umask 022
code="$HOME/.tpuherd/code"
own="$code/.own"

enter_own() {
  [ -d "$own/copies" ] || mkdir -p "$own/used" "$own/log" "$own/copies"
  cd "$own"
}

read_head() { # without one, numbers start where none has been before
  last='' has=none
  if [ -s head ]; then read -r first last has < head; fi
  [ -n "$last" ] || { last=$(date +%s) has=none; first=$((last + 1)); }
}

forget() { # all that snapshots are made of, but not the numbers: somebody may still be making a copy
  echo "$((last + 1)) $last none" > head
  rm -rf log/* copies/*
}

inputs_since() { # names of the inputs after one number, up to another
  inputs='' number=$1
  while [ "$number" -lt "$2" ]; do
    number=$((number + 1))
    if [ "$number" = "$first" ]; then inputs="log/$number.full"; else inputs="$inputs log/$number.delta"; fi
  done
}

are_sound() {
  sums=
  for each in $inputs; do sums="$sums $each.sum"; done
  [ -z "$sums" ] || sha256sum --check --status $sums
}

apply_all() { # inputs, to a folder; files are replaced, never written into; done twice, it is done
  for each in $1; do
    [ ! -e "${each%.*}.gone" ] || tar -xOf "$each" gone | (cd "$2" && xargs -0 rm -rf --) || return
    tar -xmpf "$each" -C "$2" --strip-components=1 tree || return
  done
}

set_aside_old() { # the oldest snapshots, but none that is in use; needs the lock, and $keep: how many stay
  rm -rf "$own/old"
  mkdir "$own/old"
  # The workload's processes have the folder that they run in as a variable.
  real="$(cd -P "$code" && pwd)"
  for old in $(ls -t "$own/used" | tail -n "+$((keep + 1))"); do
    grep -qzxF "TPUHERD_CODE=$real/$old" /proc/[0-9]*/environ 2> /dev/null && continue
    [ ! -e "$code/$old" ] || mv -T "$code/$old" "$own/old/$old"
    rm -f "$own/used/$old"
  done
}
