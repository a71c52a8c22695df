# Make a virtual environment in $folder. Argument: Python version. Standard input: requirements.
works() { [ -x "$folder/bin/python" ]; }

# uv of the worker; if there is none, one of our own.
find_uv() {
  uv="$(command -v uv || echo "$HOME/.tpuherd/uv/bin/uv")"
  [ -x "$uv" ] && return
  rm -rf "$HOME/.tpuherd/uv"
  if ! python3 -m venv "$HOME/.tpuherd/uv" > /dev/null; then
    install_packages python3-venv
    python3 -m venv --clear "$HOME/.tpuherd/uv"
  fi
  "$HOME/.tpuherd/uv/bin/pip" install --quiet --disable-pip-version-check uv
}

# Workers that share a package cache: the first fills it, the others wait for that and then install in parallel.
share_cache() {
  [ -n "${UV_CACHE_DIR:-}" ] || return 0
  mkdir -p "$UV_CACHE_DIR"
  exec 9> "$UV_CACHE_DIR/.tpuherd-first"
  flock --nonblock --exclusive 9 || flock --shared 9
}

begin
find_uv
share_cache
requirements="$folder.requirements"
trap 'leave $?; rm -f "$requirements"' EXIT
cat > "$requirements"
"$uv" venv --quiet --python "$1" "$folder"
"$uv" pip install --python "$folder/bin/python" --requirement "$requirements"
versions() {
  local version
  version="$("$folder/bin/python" --version)"
  echo "python==${version#Python }"
  "$uv" pip freeze --quiet --python "$folder/bin/python"
}
finish versions
