#!/bin/sh
# Reads the data again and again, and renews its token when it is refused. Wants curl 7.83 or newer, for Retry-After.
# MRS_POLL_INTERVAL: seconds between two reads, 0.2 to try it out; a minute suits a service.
# Secret and token reach curl on its standard input: every user of a machine can read the arguments of a program.
set -u
poll=${MRS_POLL_INTERVAL:-0.2}
token=''

secret() {
  # What cat prints loses its last newline in $( ), and printf is no program: it has no arguments to be read.
  printf %s "${MRS_CLIENT_SECRET:-$(cat "$MRS_CLIENT_SECRET_FILE")}"
}

# Prints the body, and on a last line the status and Retry-After; 000 is no answer.
call() {
  curl --silent --max-time 10 --header 'Accept: application/json' --write-out '\n%{http_code} %header{retry-after}' "$@"
}

# Asks until there is a token, and waits longer each time.
renew() {
  wait=1
  while :; do
    answer=$(secret | call --data grant_type=client_credentials --data-urlencode "client_id=$MRS_CLIENT_ID" \
      --data-urlencode client_secret@- "$MRS_BASE_URL/token/")
    last=$(printf '%s\n' "$answer" | tail -n 1)
    # A token holds no quotes; a backslash could only stand before a slash.
    token=$(printf '%s\n' "$answer" | sed -n 's/.*"token" *: *"\([^"]*\)".*/\1/p' | tr -d '\\')
    [ "${last%% *}" = 200 ] && [ -n "$token" ] && return
    echo "no token: ${last%% *}" >&2
    pause=${last#* }
    case $pause in '' | *[!0-9]*) pause=0 ;; esac
    sleep $((pause > wait ? pause : wait))
    wait=$((wait < 30 ? 2 * wait : 60))
  done
}

get() {
  answer=$(printf 'header = "Authorization: Bearer %s"\n' "$token" | call --config - "$MRS_BASE_URL/ods_data/")
  last=$(printf '%s\n' "$answer" | tail -n 1)
  status=${last%% *}
}

back_off=1
while :; do
  [ -n "$token" ] || renew
  get
  # Once: a 403 that stays is about something else.
  if [ "$status" = 403 ]; then renew && get; fi
  case $status in
    2??) back_off=1 && sleep "$poll" ;; # The data are in $answer, but for its last line.
    *)
      echo "no data: $status" >&2
      sleep "$back_off"
      back_off=$((back_off < 30 ? 2 * back_off : 60))
      ;;
  esac
done
