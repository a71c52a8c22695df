# Functions for the scripts that bring an image to a worker; the scripts come after them.
# Set before: image, and the array asked_for with the runtimes in question.

works() {
  # shellcheck source=/dev/null
  [ "${when:-}" != always ] && [ -x "$folder/bin/tpuherd-container" ] && . "$folder/runtime.sh" &&
    "${runtime[@]}" image inspect "$id" > /dev/null 2>&1
}

# docker first: on TPU VMs it is there. Where only root may use it, sudo keeps the variables that the work needs.
# Argument: runtime or `auto`.
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
# Arguments: registry, user name; nothing happens without a registry.
log_in() {
  [ -n "$1" ] || return 0
  export DOCKER_CONFIG="$private" REGISTRY_AUTH_FILE="$private/auth.json"
  said="$("${runtime[@]}" login --username "$2" --password-stdin "$1" <<< "$password" 2>&1 > /dev/null)" ||
    refuse "$1 (docker.login) does not let $2 in: $(grep -v '^$' <<< "$said" | tail -n 1)"
}

image_id() { "${runtime[@]}" image inspect --format '{{.Id}}' "$image" 2> /dev/null; }

# Read the password, and make the folder in which the client may keep it.
begin_privately() {
  begin
  read -r password
  private="$(mktemp -d)"
  trap 'leave $?; rm -rf "$private"' EXIT
}

# Keep the program that comes on standard input, for the image $id.
keep_program() {
  mkdir -p "$folder/bin"
  declare -p runtime id | sed 's/^declare -[-a]* //' > "$folder/runtime.sh"
  {
    echo '#!/usr/bin/env bash'
    cat "$folder/runtime.sh" -
  } > "$folder/bin/tpuherd-container"
  chmod 700 "$folder/bin/tpuherd-container"
}
