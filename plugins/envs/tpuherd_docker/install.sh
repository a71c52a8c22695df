# Have an image here. Arguments: image, runtime or `auto`, when to pull, registry, user name (both may be empty).
# Standard input: a line with the password, then the program that runs commands in containers.
image="$1"

works() {
  # shellcheck source=/dev/null
  [ "$when" != always ] && [ -x "$folder/bin/tpuherd-container" ] && . "$folder/runtime.sh" &&
    "${runtime[@]}" image inspect "$id" > /dev/null 2>&1
}
when="$3"

# docker first: on TPU VMs it is there. Where only root may use it, sudo keeps the variables that the work needs.
find_runtime() {
  local names=(docker podman) name
  [ "$1" = auto ] || names=("$1")
  for name in "${names[@]}"; do
    command -v "$name" > /dev/null || continue
    runtime=("$name")
    said="$("$name" version 2>&1 > /dev/null < /dev/null)" && return
    runtime=(sudo -n -E "$name")
    "${runtime[@]}" version < /dev/null &> /dev/null && return
    problem="$name is here, but does not work: $(tail -n 1 <<< "$said")"
  done
  [ -z "${problem:-}" ] || refuse "$problem"
  missing="${names[*]}"
  refuse "there is no ${missing// / and no } here (docker.runtime: $1)"
}

# The password goes through standard input into a folder that is gone when the image is here.
log_in() {
  export DOCKER_CONFIG="$private" REGISTRY_AUTH_FILE="$private/auth.json"
  said="$("${runtime[@]}" login --username "$2" --password-stdin "$1" <<< "$password" 2>&1 > /dev/null)" ||
    refuse "$1 (docker.login) does not let $2 in: $(grep -v '^$' <<< "$said" | tail -n 1)"
}

image_id() { "${runtime[@]}" image inspect --format '{{.Id}}' "$image" 2> /dev/null; }

pull() {
  echo "Pulling $image" >&2
  said="$("${runtime[@]}" pull "$image" 2>&1 > /dev/null)" ||
    refuse "the image $image cannot be pulled: $(grep -v '^$' <<< "$said" | tail -n 1)"
}

begin
read -r password
private="$(mktemp -d)"
trap 'leave $?; rm -rf "$private"' EXIT
find_runtime "$2"
if [ "$when" = always ] || { [ "$when" = missing ] && ! image_id > /dev/null; }; then
  [ -z "$4" ] || log_in "$4" "$5"
  pull
fi
id="$(image_id)" || refuse "the image $image is not here, and docker.pull is $when"
mkdir -p "$folder/bin"
declare -p runtime id | sed 's/^declare -[-a]* //' > "$folder/runtime.sh"
{
  echo '#!/usr/bin/env bash'
  cat "$folder/runtime.sh" -
} > "$folder/bin/tpuherd-container"
chmod 700 "$folder/bin/tpuherd-container"
versions() {
  echo "runtime==${runtime[*]}"
  echo "image==${id#sha256:}"
}
finish versions
