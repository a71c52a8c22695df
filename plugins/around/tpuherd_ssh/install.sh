# Files in ~/.ssh. Arguments: `install` or `remove`. Standard input: for each file three words that end with a zero
# byte: mode, name, content. `$folder/files` names what is ours, one more line before each file is written.
works() { false; }

umask 077
ssh="$HOME/.ssh" list="$folder/files"
include="Include \"$ssh/tpuherd_config\""

is_ours() { grep -q -x -F -e "$1" "$list"; }

# Arguments: mode, name, content.
place() {
  local target="$ssh/$2"
  wanted+=("$2")
  if [ -e "$target" ] && ! is_ours "$2"; then
    cmp -s "$target" <(printf '%s' "$3") ||
      refuse "~/.ssh/$2 is another file here, and not tpuherd's: give the identity another name (ssh.identities)"
    return 0
  fi
  is_ours "$2" || echo "$2" >> "$list"
  printf '%s' "$3" > "$target.tpuherd-new"
  chmod "$1" "$target.tpuherd-new"
  mv "$target.tpuherd-new" "$target"
}

# What is ours and not wanted any more.
drop_others() {
  local name kept=()
  while IFS= read -r name; do
    if [[ " ${wanted[*]} " == *" $name "* ]]; then
      kept+=("$name")
    else
      rm -f "$ssh/$name" "$ssh/$name.tpuherd-new"
    fi
  done < "$list"
  printf '%s\n' "${kept[@]}" | grep . > "$list.new" || true
  mv "$list.new" "$list"
}

# In front of all that is there: an Include at the end would belong to the last Host.
add_include() {
  [ ! -f "$ssh/config" ] || [ "$(head -n 1 "$ssh/config")" != "$include" ] || return 0
  { echo "$include" && { cat "$ssh/config" 2> /dev/null || true; }; } > "$ssh/config.tpuherd-new"
  mv "$ssh/config.tpuherd-new" "$ssh/config"
}

remove_include() {
  [ -f "$ssh/config" ] && grep -q -x -F -e "$include" "$ssh/config" || return 0
  grep -v -x -F -e "$include" "$ssh/config" > "$ssh/config.tpuherd-new" || true
  mv "$ssh/config.tpuherd-new" "$ssh/config"
  [ -s "$ssh/config" ] || rm "$ssh/config"
}

trust_hosts() {
  [[ " ${wanted[*]} " == *" tpuherd_known_hosts "* ]] || return 0
  printf '\nHost *\n  UserKnownHostsFile ~/.ssh/known_hosts "%s"\n' "$ssh/tpuherd_known_hosts"
}

[ "$1" = install ] || [ -f "$list" ] || exit 0
mkdir -p -m 700 "$ssh"
mkdir -p "$folder"
exec 8> "$folder/lock"
flock 8
touch "$list"
wanted=()
mapfile -d '' -t words
for ((i = 0; i < ${#words[@]}; i += 3)); do
  content="${words[i + 2]}"
  [ "${words[i + 1]}" != tpuherd_config ] || content+="$(trust_hosts)"$'\n'
  place "${words[i]}" "${words[i + 1]}" "$content"
done
drop_others
if is_ours tpuherd_config; then add_include; else remove_include; fi
[ "$1" = install ] || rm -f "$list"
