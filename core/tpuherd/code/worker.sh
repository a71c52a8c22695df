# Make a snapshot out of the last one and what comes on standard input. Prints `made ID`, `present ID`, or `need ID`:
# ID is the snapshot that the next input should start from (`none`: it has to be all of it).
# Arguments: the snapshot's id, the id of the one that the input starts from, how many snapshots to keep, the
# SHA-256 of the input, and `gone` if it names something that has to be removed.
#
# ID/                a snapshot: jobs run in it and may write into it, so nothing is ever made of it again
# .own/head          numbers of the first and of the last input in `log`, and the id of what the last one made
# .own/log/N.full    an input that is a whole tree; it is the first one
# .own/log/N.delta   what makes snapshot N of the one before; N.gone is there if it removes something
# .own/log/*.sum     digests; nothing is made of an input that does not match
# .own/copies/N.*    snapshot N once more, for the next one to be made of: jobs never see them
# .own/used/         when each snapshot was asked for last
# .own/work, .own/making, .own/old   what is under way; what a killed process left there is removed by the next one
id=$1 base=$2 keep=$3 digest=$4 gone=$5

answer_if_present() {
  [ -d "$code/$id" ] || return 0
  : > "used/$id"
  cat > /dev/null
  echo "present $has"
  exit 0
}

answer_if_other_base() {
  [ "$base" = none ] || [ "$base" = "$has" ] || { cat > /dev/null; echo "need $has"; exit 0; }
}

receive() { # into a file; it stays there for the next snapshots
  cat > "$input"
  echo "$digest  $input" > "$input.sum"
  inputs=$input
  are_sound || { echo "what arrived is not what was sent" >&2; exit 1; }
  [ "$gone" != gone ] || : > "log/$next.gone"
}

choose_copy() { # the newest one; without any, all is made from the log
  at=$((first - 1)) chosen=
  for copy in copies/*.*; do
    number=${copy#copies/} number=${number%%.*}
    if [ -d "$copy" ] && [ "$number" -gt "$at" ]; then at=$number chosen=$copy; fi
  done
}

take_copy() {
  choose_copy
  inputs_since "$at" "$last"
  are_sound || { forget; trap - EXIT; echo "need none"; exit 0; }
  if [ -n "$chosen" ]; then mv -T "$chosen" work; else mkdir work; fi
}

undo() { # of a failed try nothing may stay
  rm -rf work "log/$next".*
  echo "this worker has no new snapshot; free space on its disk: $(df -h --output=avail . | tail -n 1)" >&2
}

enter_own
exec 9> lock
flock 9
read_head
answer_if_present
answer_if_other_base
next=$((last + 1)) input=log/$((last + 1)).delta
trap undo EXIT
[ ! -e work ] || rm -rf work
if [ "$base" = none ]; then
  forget
  first=$next input=log/$next.full
fi
receive
take_copy
apply_all "$inputs $input" work
mv -T work "$code/$id"
: > "used/$id"
echo "$first $next $id" > head
trap - EXIT
echo "made $id"
# What the next one needs is made while nobody waits for it; whoever comes too early does without.
(
  exec < /dev/null > /dev/null 2>&1 9> lock
  get_ready
) &
