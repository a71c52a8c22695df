# For scripts that put snapshots on a worker: remove the oldest ones, but none that is in use.
# Needs: $code, the folder of snapshots; $own/used, with a file per snapshot; $keep, how many stay.
remove_old() {
  # The workload's processes have the folder that they run in as a variable.
  real="$(cd -P "$code" && pwd)"
  for old in $(ls -t "$own/used" | tail -n "+$((keep + 1))"); do
    grep -qzxF "TPUHERD_CODE=$real/$old" /proc/[0-9]*/environ 2> /dev/null && continue
    rm -rf "$own/old"
    [ ! -e "$code/$old" ] || mv -T "$code/$old" "$own/old"
    nice -n 19 rm -rf "$own/old" "$own/used/$old"
  done
}
