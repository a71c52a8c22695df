# Run a command in a container of its own: `tpuherd-container COMMAND…`. With `--end FOLDER`: end the container of
# the attempt in this folder, if there is one; it may have outlived the client that started it.
# Set before: runtime, id, flags, mounts, workdir.

end_container() {
  [ -f "$1/container" ] || return 0
  remove "$(cat "$1/container")" || still_there "$1"
}

# Whatever should end gently has had its time: podman's `rm --force` alone would give it ten seconds more.
remove() {
  "${runtime[@]}" kill "$1" > /dev/null 2>&1
  "${runtime[@]}" rm --force "$1" > /dev/null 2>&1
}

# Removing what is gone already is an error for docker.
still_there() {
  ! "${runtime[@]}" container inspect "$(cat "$1/container")" > /dev/null 2>&1
}

if [ "${1:-}" = --end ]; then
  end_container "$2"
  exit
fi

# Variables that describe the host's files and sessions mean nothing in the container. The others are passed by
# name: their values are on no command line and in no file.
options=()
for name in $(compgen -e); do
  case "$name" in
    PATH | HOME | SHELL | USER | LOGNAME | PWD | OLDPWD | SHLVL | _ | HOSTNAME | TERM | MAIL | TMPDIR | LS_COLORS) ;;
    LD_* | XDG_* | SSH_* | SUDO_* | DOCKER_* | DBUS_* | SSL_CERT_* | PYTHONHOME | VIRTUAL_ENV | *_CONFIG_FILE) ;;
    *) options+=(--env "$name") ;;
  esac
done

for folder in "${TPUHERD_ATTEMPT_DIR:-}" "${TPUHERD_CODE:-}"; do
  [ -z "$folder" ] || mounts+=("$folder:$folder")
done
for mount in "${mounts[@]}"; do
  [ -e "${mount%%:*}" ] || mkdir -p "${mount%%:*}"
  options+=(--volume "$mount")
done

if [ -n "$workdir" ]; then
  options+=(--workdir "$workdir")
elif [ -n "${TPUHERD_CODE:-}" ]; then
  options+=(--workdir "$PWD")
fi
[ ! -t 0 ] || [ ! -t 1 ] || options+=(--tty)

# An attempt's container has its name, so that it can be found when nothing else of the attempt is left.
if [ -n "${TPUHERD_ATTEMPT_DIR:-}" ]; then
  name="tpuherd-$TPUHERD_ATTEMPT_ID-w$TPUHERD_WORKER"
  end_container "$TPUHERD_ATTEMPT_DIR"
  echo "$name" > "$TPUHERD_ATTEMPT_DIR/container"
else
  name="tpuherd-command-$(hostname)-$$"
fi

# A container that nobody waits for any more, however the waiting ended, is removed. It may come into being only
# after its client has died, so that is tried for some time. The watcher is no part of what a person started.
watch_over() {
  env -u TPUHERD_EXEC_ID setsid bash -c '
    tail --pid="$1" --sleep-interval=0.2 --follow /dev/null
    for _ in 1 2 3 4 5; do
      "${@:3}" kill "$2"
      "${@:3}" rm --force "$2"
      sleep 1
    done
    while "${@:3}" container inspect "$2"; do
      "${@:3}" rm --force "$2"
      sleep 5
    done' tpuherd-watch "$$" "$1" "${runtime[@]}" < /dev/null > /dev/null 2>&1 &
  watcher=$!
}

# The first process of a container ignores signals that it does not ask for, and all others end with it. This one
# passes SIGTERM on to everybody, and ends as the command does.
first='
trap "trap \"\" TERM; asked=1; kill -TERM 0" TERM INT
"$@" <&0 &
child=$!
wait "$child"
code=$?
while [ -n "$asked" ]; do
  asked=
  wait "$child"
  code=$?
done
exit "$code"
'

# Without `--rm`: with podman as docker's server, every exit code would be 0.
run=("${runtime[@]}" run --interactive --name "$name" "${options[@]}" "${flags[@]}"
  --entrypoint bash "$id" -c "$first" tpuherd "$@")
if [ -n "${TPUHERD_ATTEMPT_DIR:-}" ]; then
  # In a session of its own: a stop signals all processes of the attempt's, and podman passes signals on with
  # programs that would be hit as well.
  asked=
  trap 'asked=1; kill -TERM "$client"' TERM INT HUP
  setsid "${run[@]}" <&0 &
  client=$!
  wait "$client"
  code=$?
  while [ -n "$asked" ]; do
    asked=
    wait "$client"
    code=$?
  done
else
  watch_over "$name"
  trap : TERM INT HUP
  "${run[@]}"
  code=$?
fi
remove "$name"
[ -z "${watcher:-}" ] || kill "$watcher"  # not before: what ends this program may end its children one by one
exit "$code"
