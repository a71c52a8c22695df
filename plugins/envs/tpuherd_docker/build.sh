# Build an image here. Arguments: name of the image, runtime or `auto`, registry, user name (both may be empty), the
# context's folder below the home folder, the Dockerfile in it, then further arguments of `docker build`.
# Standard input: a line with the password, then the program that runs commands in containers.
image="$1"
context="$HOME/$5"
dockerfile="$6"

# Which step failed, and the end of what it said: lines of podman, of docker's old builder, and of BuildKit.
say_step() {
  local said step
  said="$(grep -v '^[[:space:]-]*$' "$private/said" | cut -c -200)" || true
  step="$(grep -E '^(\[[0-9/]+\] )?(STEP|Step) |^#[0-9]+ \[[^]]*[0-9]+/[0-9]+\]' <<< "$said" | tail -n 1)" || true
  said="$(tail -n 4 <<< "$said")"
  refuse "$dockerfile (docker.build) fails${step:+ at ${step#\#[0-9]* }}: ${said//$'\n'/ / }"
}

# The variable keeps others from removing the context meanwhile; see `old.sh` of the code.
build() {
  echo "Building $image" >&2
  TPUHERD_CODE="$(cd -P "$context" && pwd)" "${runtime[@]}" build --force-rm --file "$context/$dockerfile" \
    --tag "$image" "$@" "$context" < /dev/null 2>&1 | tee "$private/said" >&2 || say_step
}

# Two builds of one Dockerfile are never the same image, so what is in them is compared.
contents='
shopt -s nullglob
! command -v python3 > /dev/null || { version="$(python3 --version)" && echo "python==${version#Python }"; }
for found in /usr/lib/python3*/site-packages/*.dist-info /usr/lib/python3/dist-packages/*.dist-info \
  /usr/local/lib/python3*/{site,dist}-packages/*.dist-info /opt/*/lib/python3*/site-packages/*.dist-info \
  "$HOME"/.local/lib/python3*/site-packages/*.dist-info; do
  found="${found##*/}"
  found="${found%.dist-info}"
  echo "${found%%-*}==${found#*-}"
done
! command -v dpkg-query > /dev/null || dpkg-query --show --showformat "deb:\${Package}==\${Version}\n"
'

begin_privately
find_runtime "$2"
log_in "$3" "$4"
build "${@:7}"
id="$(image_id)" || refuse "$dockerfile (docker.build) was built, and the image $image is not here"
found="$("${runtime[@]}" run --rm --network=none --entrypoint bash "$id" -c "$contents" < /dev/null)" ||
  refuse "$dockerfile (docker.build) makes an image in which bash does not run"
keep_program
versions() {
  echo "runtime==${runtime[*]}"
  sort -u -t= -k1,1 <<< "$found"
}
finish versions
