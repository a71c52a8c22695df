# Make a virtual environment, or find it finished. Prints its packages as `name==version` lines.
# Arguments: name of its folder, Python version. Standard input: requirements.
set -euo pipefail
folder="$HOME/.tpuherd/venvs/$1"
done_marker="$folder/.tpuherd-done"

use_if_finished() {
  if [ -f "$done_marker" ] && [ -x "$folder/bin/python" ]; then
    cat "$done_marker"
    exit 0
  fi
}

use_if_finished

mkdir -p "$HOME/.tpuherd/venvs"
exec 8> "$folder.lock"
flock 8  # an interrupted controller's install may still be running
use_if_finished  # it may also have ended well, and its environment be in use

if command -v uv > /dev/null; then
  uv=uv
else
  uv="$HOME/.tpuherd/uv/bin/uv"
  [ -x "$uv" ] || { python3 -m venv "$HOME/.tpuherd/uv" && "$HOME/.tpuherd/uv/bin/pip" install --quiet --disable-pip-version-check uv; }
fi

# Workers that share a package cache: the first fills it, the others wait for that and then install in parallel.
if [ -n "${UV_CACHE_DIR:-}" ]; then
  mkdir -p "$UV_CACHE_DIR"
  exec 9> "$UV_CACHE_DIR/.tpuherd-first"
  flock --nonblock --exclusive 9 || flock --shared 9
fi

rm -rf "$folder"
cat > "$folder.requirements"
"$uv" venv --quiet --python "$2" "$folder"
"$uv" pip install --python "$folder/bin/python" --requirement "$folder.requirements"
"$uv" pip freeze --quiet --python "$folder/bin/python" > "$done_marker.new"
mv "$done_marker.new" "$done_marker"
cat "$done_marker"
