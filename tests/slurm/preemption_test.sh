#!/usr/bin/env bash
# Under a real Slurm: a run through slurm/pretrain.sbatch that is preempted half-way saves, queues again, goes on, and ends with the digests
# of the same run that nobody disturbed.
set -uo pipefail

for program in slurmctld slurmd munged srun; do
  if ! command -v "$program" >/dev/null; then
    echo "skipped: no $program here (tools/setup --tests installs Slurm)"
    [[ ${CI:-} == true ]] && { echo "in CI that is a failure"; exit 1; }
    exit 77
  fi
done

checkout=$PWD
folder=$(mktemp -d) && chmod 711 "$folder"   # munged wants its socket reachable for all
clean_up() {
  tests/slurm/cluster stop "$folder/cluster"
  rm -rf "$folder"
}
trap clean_up EXIT
trap 'exit 1' TERM INT

fail() {
  echo "FAILED: $*"
  tail -n 40 "$folder"/*.log "$folder"/cluster/log/* 2>/dev/null
  exit 1
}
wait_for() {   # wait_for SECONDS WHAT COMMAND...: polls until the command succeeds
  local tries what=$2 limit=$1
  shift 2
  for tries in $(seq $((5 * limit))); do
    "$@" && return
    sleep 0.2
  done
  fail "no $what after $limit s"
}
digests() { grep -o 'output_hash: sha256:[0-9a-f]*' "$1/manifest.out.yaml"; }
job_is() { scontrol show job "$job" -o 2>/dev/null | grep -qE "JobState=($1) "; }
saves() { find "$folder/run/checkpoints" -name index.json 2>/dev/null | sort | tail -1; }
has_saved_since() { [[ $(saves) != "$1" ]]; }
# Slurm holds a requeued job for two minutes, which the test does not wait for; in the very second of the requeue slurmd would refuse it.
start_again() { scontrol update jobid="$job" StartTime=now+3seconds; }

# given: the same manifest, run undisturbed
manifest=$checkout/manifests/tiny.yaml
longer=(--set stages.04_pretrain.settings.steps=300 --set stages.04_pretrain.settings.checkpoint.every_steps=10)
launch/lastro run "$manifest" "${longer[@]}" --run "$folder/calm" --store "$folder/calm-store" >"$folder/calm.log" 2>&1
[[ -s $folder/calm/manifest.out.yaml ]] || fail "the undisturbed run made no manifest.out.yaml"

# when: it runs as a job of two ranks, and is told that its time is nearly up once it has saved,
tests/slurm/cluster start "$folder/cluster" || fail "no cluster"
source "$folder/cluster/env"
job=$(sbatch --parsable --ntasks=2 --time=60 --output="$folder/job.log" slurm/pretrain.sbatch \
  "$manifest" "${longer[@]}" --run "$folder/run" --store "$folder/store") || fail "sbatch refused"
wait_for 120 "checkpoint of the job" has_saved_since ""
scancel --batch --signal=USR1 "$job"
wait_for 60 "job that queues again after USR1" job_is PENDING
grep -q 'preempted; job' "$folder/job.log" || fail "the batch script did not see exit status 7"

# and once more is taken off its node by an administrator (TERM),
first=$(saves)
start_again
wait_for 300 "checkpoint of the restarted job" has_saved_since "$first"
scontrol requeue "$job"
wait_for 60 "job that queues again after TERM" job_is PENDING
[[ $(grep -c 'preempted: stopped after step' "$folder/job.log") == 2 ]] || fail "the ranks did not save and stop twice"

# then: the job of the same number ends with the calm run's digests.
start_again
wait_for 600 "end of the job" job_is 'COMPLETED|FAILED|TIMEOUT|CANCELLED'
job_is COMPLETED || fail "the job ended badly"
scontrol show job "$job" -o | grep -q 'Restarts=2 ' || fail "the job did not restart twice"
[[ $(grep -c 'training goes on from step' "$folder/job.log") == 2 ]] || fail "training did not go on from a checkpoint twice"
diff <(digests "$folder/calm") <(digests "$folder/run") || fail "the digests differ from the undisturbed run's"
echo "preempted twice, requeued, resumed: $(digests "$folder/run" | wc -l) equal digests"
