# Have an image here. Arguments: image, runtime or `auto`, when to pull, registry, user name (both may be empty).
# Standard input: a line with the password, then the program that runs commands in containers.
image="$1"
when="$3"

pull() {
  echo "Pulling $image" >&2
  said="$("${runtime[@]}" pull "$image" 2>&1 > /dev/null)" ||
    refuse "the image $image cannot be pulled: $(grep -v '^$' <<< "$said" | tail -n 1)"
}

begin_privately
find_runtime "$2"
if [ "$when" = always ] || { [ "$when" = missing ] && ! image_id > /dev/null; }; then
  log_in "$4" "$5"
  pull
fi
id="$(image_id)" || refuse "the image $image is not here, and docker.pull is $when"
keep_program
versions() {
  echo "runtime==${runtime[*]}"
  echo "image==${id#sha256:}"
}
finish versions
