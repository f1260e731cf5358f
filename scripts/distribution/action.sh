#!/usr/bin/env bash
# The step of action.yml: installs the package, runs one command of mrs and hands its result to the workflow.
# All inputs come in INPUT_* variables and go to mrs as whole arguments or variables, never through a shell.
# Ends with the exit code of mrs if fail-on names what it means, otherwise with 0. Runs in Bash 3.2, that of macOS.
set -euo pipefail

refuse() {
  # A command of the runner is one line: a message with an input in it must not begin another.
  local message=${1//'%'/%25}
  message=${message//$'\r'/%0D}
  printf '::error title=mrs-contract::%s\n' "${message//$'\n'/%0A}"
  output outcome error
  output exit-code 2
  exit 2
}

# Values may have several lines, so each has a delimiter that it cannot know.
output() {
  local mark
  mark="end-$(od -An -N16 -tx1 /dev/urandom | tr -d ' \n')"
  printf '%s<<%s\n%s\n%s\n' "$1" "$mark" "$2" "$mark" >>"$GITHUB_OUTPUT"
}

# Appends each line of $1 that is not empty to `arguments`.
append_lines() {
  local line
  while IFS= read -r line || [[ -n $line ]]; do
    line=${line%$'\r'}
    if [[ -n $line ]]; then arguments+=("$line"); fi
  done <<<"$1"
}

# Exports $2 as the variable $1, unless it is empty: then a variable of the job counts.
give() {
  if [[ -n $2 ]]; then export "$1=$2"; fi
}

# A runner that cancels a job sends SIGINT to this shell only, 7.5 s later SIGTERM, and 2.5 s later it kills the shell. What
# the shell started would go on, with the secret: each program has a process group of its own, which is ended by SIGTERM.
signals=0 group=''
trap 'signals=$((signals + 1)); if [[ -n $group ]]; then kill -TERM -- "-$group" 2>/dev/null || true; fi' INT TERM

# Runs "$@", and returns its exit code, also where a signal comes meanwhile.
run() {
  local code before
  if ((signals > 0)); then refuse 'The step was cancelled before the run began.'; fi
  set -m
  "$@" &
  group=$!
  set +m
  while
    before=$signals code=0
    wait "$group" || code=$?
    ((signals > before)) # Then it was the wait that ended.
  do :; done
  group=''
  return "$code"
}

# Before anything else is printed. A mask is one line.
while IFS= read -r line || [[ -n $line ]]; do
  line=${line%$'\r'}
  if [[ -n $line ]]; then printf '::add-mask::%s\n' "${line//'%'/%25}"; fi
done <<<"$INPUT_CLIENT_SECRET"
secret=$INPUT_CLIENT_SECRET
unset INPUT_CLIENT_SECRET # Only mrs verify has a use for it.

fails_on=()
IFS=$', \t\n' read -r -d '' -a fails_on <<<"$INPUT_FAIL_ON" || true
if ((${#fails_on[@]} == 0)); then
  refuse 'fail-on is empty. List nonconformant, incomplete and error, or write never.'
fi
for one in "${fails_on[@]}"; do
  case $one in
    nonconformant | incomplete | error | never) ;;
    *) refuse "fail-on has \"$one\". List nonconformant, incomplete and error, or write never." ;;
  esac
done

directory=${INPUT_REPORT_DIRECTORY:-reports/$INPUT_MODE}
arguments=("$INPUT_MODE" "--report-dir=$directory")
case $INPUT_MODE in
  verify)
    # Without a URL, mrs would judge its own mock: a workflow that lost its URL must not pass.
    if [[ -z $INPUT_BASE_URL && -z ${MRS_BASE_URL:-} ]]; then
      refuse 'base-url is empty. Give the URL of the deployment to verify.'
    fi
    give MRS_BASE_URL "$INPUT_BASE_URL"
    give MRS_CLIENT_ID "$INPUT_CLIENT_ID"
    give MRS_TOKEN_LIFETIME "$INPUT_TOKEN_LIFETIME"
    give MRS_PROFILE "$INPUT_PROFILE"
    give MRS_BASELINE "$INPUT_BASELINE"
    append_lines "$INPUT_ARGS"
    ;;
  fleet)
    if [[ -z $INPUT_FLEET ]]; then refuse 'fleet is empty. Give the fleet file.'; fi
    if [[ -n $INPUT_PROFILE ]]; then refuse 'profile is not for a fleet. Set it in the fleet file.'; fi
    arguments=(fleet run "--report-dir=$directory")
    append_lines "$INPUT_ARGS"
    arguments+=(-- "$INPUT_FLEET")
    ;;
  feed)
    if [[ -z $INPUT_FEED ]]; then refuse 'feed is empty. Give the file or the URL of the feed.'; fi
    if [[ -n $INPUT_PROFILE ]]; then arguments+=("--profile=$INPUT_PROFILE"); fi
    append_lines "$INPUT_ARGS"
    arguments+=(-- "$INPUT_FEED")
    ;;
  certify)
    if [[ -z $INPUT_COMMAND ]]; then
      refuse 'command is empty. Give the program of the client, one argument on each line.'
    fi
    if [[ -n $INPUT_PROFILE ]]; then arguments+=("--profile=$INPUT_PROFILE"); fi
    append_lines "$INPUT_ARGS"
    arguments+=(--)
    append_lines "$INPUT_COMMAND"
    ;;
  *) refuse "mode is \"$INPUT_MODE\". Write verify, fleet, feed or certify." ;;
esac

# Unless a package is named, the action runs what is at its own commit, with the dependencies of its lock file: nothing
# that a registry calls mrs-contract gets the secret. A registry that does not answer is given up after three requests of
# a minute each.
install() {
  local options=(--no-audit --no-fund --ignore-scripts --fetch-timeout=60000)
  if [[ -n $INPUT_PACKAGE ]]; then
    npm install --prefix "$RUNNER_TEMP/mrs-contract" --no-save "${options[@]}" -- "$INPUT_PACKAGE"
  else
    npm ci --prefix "$GITHUB_ACTION_PATH" "${options[@]}" && node "$GITHUB_ACTION_PATH/scripts/build.mjs"
  fi
}
tool=$GITHUB_ACTION_PATH
if [[ -n $INPUT_PACKAGE ]]; then tool=$RUNNER_TEMP/mrs-contract/node_modules/mrs-contract; fi
echo 'Installing. npm prints only what goes wrong.'
if ! run install >"$RUNNER_TEMP/mrs-contract-install.log" 2>&1 && ((signals == 0)); then
  cat "$RUNNER_TEMP/mrs-contract-install.log" >&2
  refuse "${INPUT_PACKAGE:-mrs-contract} cannot be installed. See the lines above."
fi

result=$directory/report.json
rm -f -- "$result" # A run that ends early must not pass on the result of an earlier one.
output report-directory "$directory" # Also where the runner kills the step, so that what was written is uploaded.
if [[ $INPUT_MODE == verify ]]; then give MRS_CLIENT_SECRET "$secret"; fi
code=0
run node "$tool/dist/scripts/mrs.js" "${arguments[@]}" || code=$?
unset MRS_CLIENT_SECRET # What follows reads only the report.

# Options such as --dry-run and --help end with 0, and nothing was judged.
if [[ $code == 0 && ! -f $result ]]; then
  refuse "The run wrote no report, so nothing was judged. Leave out the args that keep it from judging."
fi

case $code in
  0) meaning=conformant ;;
  1) meaning=nonconformant ;;
  3) meaning=incomplete ;;
  *) meaning=error ;;
esac

# The outcome is read from the report, as the same exit code may be that of several. A baseline can accept a violation.
outcome=$meaning passed='' failed='' warned='' could_not_run=''
if [[ $meaning != error && -f $result ]]; then
  # shellcheck disable=SC2016
  counts=$(node -e '
    const { outcome, counts, baseline } = JSON.parse(require("node:fs").readFileSync(process.argv[1], "utf8"));
    const count = (verdict) => {
      const own = counts.filter((one) => one.verdict === verdict).map(({ value }) => value);
      return own.length === 0 ? undefined : own.reduce((sum, value) => sum + value);
    };
    const values = [baseline?.outcome ?? outcome, ...["passed", "failed", "warned", "could-not-run"].map(count)];
    console.log(values.map((value) => value ?? "").join(","));
  ' -- "$result")
  IFS=, read -r outcome passed failed warned could_not_run <<<"$counts"
fi
output outcome "$outcome"
output exit-code "$code"
output passed "$passed"
output failed "$failed"
output warned "$warned"
output could-not-run "$could_not_run"

for one in "${fails_on[@]}"; do
  if [[ $one == "$meaning" ]]; then exit "$code"; fi
done
exit 0
