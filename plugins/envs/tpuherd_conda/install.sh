# Make a conda environment in $folder. Arguments: tool or `auto`, where to get it, its SHA-256 (both may be empty).
# Standard input: the environment's file.
works() { [ -d "$folder/conda-meta" ] && [ -x "$folder/.tpuherd/tpuherd-conda-run" ]; }

own="$HOME/.tpuherd/conda-tool"

find_tool() {
  local names=(micromamba mamba conda) name place
  [ "$1" = auto ] || names=("$1")
  for name in "${names[@]}"; do
    for place in "$(command -v "$name" || true)" "$own/bin/$name" \
      "$HOME"/{micromamba,miniforge3,miniconda3,miniconda,mambaforge,anaconda3}/bin/"$name" "/opt/conda/bin/$name"; do
      if [ -x "$place" ]; then
        tool="$place"
        return 0
      fi
    done
  done
  return 1
}

# An installer is run, everything else is taken for a program named micromamba.
install_tool() {
  [ -n "$2" ] || refuse "there is no $([ "$1" = auto ] && echo "micromamba, mamba or conda" || echo "$1") here; conda.install_from says where to get one"
  local file="$own.part"
  rm -rf "$own" "$file"
  trap 'leave $?; rm -rf "$file" "$own.new"' EXIT
  fetch "$2" "$file" || refuse "$2 (conda.install_from) cannot be fetched"
  if [ -n "$3" ]; then
    local found
    found="$(sha256sum < "$file")"
    [ "${found%% *}" = "$3" ] || refuse "$2 is not what conda.install_sha256 says: its SHA-256 is ${found%% *}"
  fi
  case "$2" in
    *.sh) bash "$file" -b -p "$own" > "$own.log" 2>&1 || refuse "the installer $2 failed: $(tail -n 1 "$own.log")" ;;
    *) install -D -m 755 "$file" "$own/bin/micromamba" ;;
  esac
  rm -f "$file"
}

fetch() {
  case "$1" in
    *://*) if command -v curl > /dev/null; then curl -fsSL -o "$2" "$1"; else wget -qO "$2" "$1"; fi ;;
    *) cp "$1" "$2" ;;
  esac
}

create() {
  case "${tool##*/}" in
    micromamba) "$tool" create --yes --quiet --prefix "$folder" --file "$1" ;;
    *) "$tool" env create --quiet --prefix "$folder" --file "$1" ;;
  esac
}

# Variables that the environment's file sets; conda keeps them as JSON.
keep_variables() {
  [ -f "$folder/conda-meta/state" ] || return 0
  python3 -c '
import json, shlex, sys
for name, value in json.load(open(sys.argv[1])).get("env_vars", {}).items():
    print(f"export {name}={shlex.quote(str(value))}")
' "$folder/conda-meta/state" > "$folder/.tpuherd/variables.sh"
}

begin
mkdir -p "$HOME/.tpuherd/conda"
exec 7> "$HOME/.tpuherd/conda/tool.lock"
flock 7
find_tool "$1" || { install_tool "$@" && find_tool "$1"; } ||
  refuse "$2 (conda.install_from) brought no $1"
flock -u 7
file="$folder.yml"
trap 'leave $?; rm -f "$file"' EXIT
cat > "$file"
create "$file" >&2
mkdir -p "$folder/.tpuherd"
keep_variables
cat > "$folder/.tpuherd/tpuherd-conda-run" << 'END_OF_RUN'
@RUN@
END_OF_RUN
chmod 755 "$folder/.tpuherd/tpuherd-conda-run"
versions() {
  echo "conda-tool==${tool##*/}"
  for record in "$folder"/conda-meta/*-*-*.json; do
    [ -f "$record" ] || continue
    record="${record##*/}"
    record="${record%.json}"
    build="${record##*-}"
    record="${record%-*}"
    echo "${record%-*}==${record##*-}=$build"
  done
  for record in "$folder"/lib/python3*/site-packages/*.dist-info; do  # what pip brought
    [ ! -d "$record" ] || [ "$(cat "$record/INSTALLER" 2> /dev/null)" = conda ] || {
      record="${record##*/}"
      record="${record%.dist-info}"
      echo "${record%%-*}==${record#*-}"
    }
  done
}
sorted_versions() { versions | sort -u -t= -k1,1; }
finish sorted_versions
