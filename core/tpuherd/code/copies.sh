# What a worker does after a snapshot: old ones go, and copies are made that the next ones are made of.
COPIES=2
LOGGED=32

get_ready() { # in a shell and a session of its own, with the lock's file as 9
  trap '' HUP
  # Linux shares the processors between sessions first: among them, a process's own niceness means nothing.
  sh -c 'renice -n 10 -p $PPID; ionice -c 2 -n 7 -p $PPID; echo 10 > "/proc/$PPID/autogroup"' || :
  sleep 0.3 # what all this is for starts now
  exec 8> making.lock
  flock 8
  trap 'rm -rf making log/new old' EXIT
  flock 9; set_aside_old; flock -u 9
  rm -rf old
  while look; do
    if [ "$count" -lt "$COPIES" ]; then add_copy; else bring_forward; fi || break
  done
}

look() { # what there is; false if nothing is left to do
  flock 9; read_head; flock -u 9
  count=0 behind=
  for copy in copies/*.*; do
    [ -d "$copy" ] || continue
    number=${copy#copies/} number=${number%%.*} count=$((count + 1))
    [ "$number" = "$last" ] || behind=$copy at=$number
  done
  [ "$has" != none ] && { [ "$count" -lt "$COPIES" ] || [ -n "$behind" ]; }
}

add_copy() {
  inputs_since $((first - 1)) "$last"
  rm -rf making
  mkdir making && follow && shorten_log && publish
}

bring_forward() {
  if [ "$at" -lt "$first" ]; then rm -rf "$behind"; return; fi
  inputs_since "$at" "$last"
  rm -rf making
  flock 9; mv -T "$behind" making || :; flock -u 9
  [ ! -d making ] || { follow && publish; }
}

follow() { # make what the inputs say of the folder `making`
  are_sound || { forget_damaged; return 1; }
  apply_all "$inputs" making
}

publish() { # nobody else adds any
  for name in a b c; do
    [ -e "copies/$last.$name" ] || { mv -T making "copies/$last.$name"; return; }
  done
  return 1
}

forget_damaged() { # unless it was replaced meanwhile; the next one is sent whole
  damaged=$first
  flock 9
  read_head
  [ "$damaged" != "$first" ] || forget
  flock -u 9
}

size_of() {
  du -cb "$@" | tail -n 1 | cut -f 1
}

is_long() {
  [ "$last" -gt "$first" ] || return 1
  [ $((last - first)) -ge "$LOGGED" ] || [ "$(size_of log/*.delta)" -gt "$(size_of "log/$first.full")" ]
}

shorten_log() { # what is in `making` becomes the first input
  is_long || return 0
  tar -cf log/new -I "gzip -1" --transform="flags=r;s,^\.,tree," -C making . || return
  mv -T log/new "log/$last.full"
  sha256sum "log/$last.full" > "log/$last.full.sum" || return
  from=$first to=$last
  flock 9
  read_head
  if [ "$first" = "$from" ]; then first=$to; echo "$to $last $has" > head; fi
  flock -u 9
  [ "$first" = "$to" ] || return 1
  drop_before
  last=$to
}

drop_before() {
  rm -f "log/$from.full" "log/$from.full.sum"
  while [ "$from" -lt "$to" ]; do
    from=$((from + 1))
    rm -f "log/$from.delta" "log/$from.delta.sum" "log/$from.gone"
  done
}
