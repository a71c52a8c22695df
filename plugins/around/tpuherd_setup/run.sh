# Run a script here, unless it has run. Arguments: its name, its longest run in seconds.
# Standard input: the script.
works() { :; } # the marker says all there is to say

begin
mkdir -p "$folder"
cat > "$folder/script.sh"
cd "$HOME"
code=0
# without our lock: what the script leaves running would keep it
timeout --kill-after=5 "$2" bash "$folder/script.sh" < /dev/null 8>&- || code=$?
case "$code" in
  0) finish true ;;
  124 | 137) refuse "setup: $1 did not end within $2 s (timeout_s)" ;;
  *) exit "$code" ;;
esac
