# For scripts that ask a server of their own: starts `./river server` in $work, on a port that was
# free, and sets `server`, its process, and `port`.
start_server() {
  touch "$work/out"
  ./river server --port 0 --directory "$work/data" --backup "$work/backups" >"$work/out" 2>"$work/err" &
  server=$!
  port=
  for _ in $(seq 600); do
    port=$(sed -n 's/.* port \([0-9]*\);.*/\1/p' "$work/out")
    [ -z "$port" ] || return 0
    kill -0 "$server" 2>/dev/null || break
    sleep 0.5
  done
  echo "the server does not start" >&2
  cat "$work/err" >&2
  return 1
}

stop_server() {
  [ -z "${server:-}" ] || kill "$server" 2>/dev/null || true
  [ -z "${server:-}" ] || wait "$server" 2>/dev/null || true
}
