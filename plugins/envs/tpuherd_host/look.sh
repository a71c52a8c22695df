# Print what the host's python3 has, as lines `name==version`, from the names of folders: starting Python and
# reading every distribution takes a hundred times as long. What Debian itself brought may differ while a worker
# updates itself, so it is left out.
shopt -s nullglob

python="$(readlink -f "$(command -v python3)")" || refuse "there is no python3 on the host"
version="$(python3 --version)"
echo "python==${version#Python }"

# Of two distributions with one name, the last is what counts: Python finds the user's own first.
for distribution in \
  "${python%/*/*}"/lib/python3*/site-packages/*.dist-info \
  /usr/local/lib/python3*/dist-packages/*.dist-info \
  "$HOME"/.local/lib/python3*/site-packages/*.dist-info; do
  name="${distribution##*/}"
  name="${name%.dist-info}"
  version="${name#*-}"
  echo "${name%%-*}==$version"
done

[ ! -f "$checked" ] || echo "#preflight"
