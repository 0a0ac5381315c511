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
folder=$(mktemp -d)
chmod 755 "$folder"   # munged wants its socket where all may look
clean_up() {
  tests/slurm/cluster stop "$folder/cluster"
  rm -rf "$folder"
}
trap clean_up EXIT

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
has_saved() { compgen -G "$folder/run/checkpoints/step-*/index.json" >/dev/null; }
trains_again() { grep -q 'pretrain' "$folder/again" 2>/dev/null; }

# given: the same manifest, run undisturbed
manifest=$checkout/manifests/tiny.yaml
longer=(--set stages.04_pretrain.settings.steps=400 --set stages.04_pretrain.settings.checkpoint.every_steps=20)
launch/lastro run "$manifest" "${longer[@]}" --run "$folder/calm" --store "$folder/calm-store" >"$folder/calm.log" 2>&1
[[ -s $folder/calm/manifest.out.yaml ]] || fail "the undisturbed run made no manifest.out.yaml"

# when: it runs as a job of two ranks, and is told to go once it has saved
tests/slurm/cluster start "$folder/cluster" || fail "no cluster"
source "$folder/cluster/env"
job=$(sbatch --parsable --ntasks=2 --time=30 --output="$folder/job.log" slurm/pretrain.sbatch \
  "$manifest" "${longer[@]}" --run "$folder/run" --store "$folder/store") || fail "sbatch refused"
wait_for 120 "checkpoint of the job" has_saved
scancel --batch --signal=USR1 "$job"
wait_for 60 "requeued job" job_is PENDING
grep -q 'preempted; job' "$folder/job.log" || fail "the batch script did not see exit status 7"
[[ ! -e $folder/run/manifest.out.yaml ]] || ! grep -q '10_evaluate' <(digests "$folder/run") || fail "the job had ended before it was preempted"

# then: the job of the same number goes on, and its digests are the calm run's. (Slurm holds a requeued job for two minutes; the test does not
# wait for them. In the very second of the requeue slurmd would refuse the job.)
scontrol update jobid="$job" StartTime=now+3seconds
wait_for 120 "end of the job" job_is 'COMPLETED|FAILED|TIMEOUT|CANCELLED'
scontrol show job "$job" -o | grep -q 'Restarts=1 ' || fail "the job did not restart once"
diff <(digests "$folder/calm") <(digests "$folder/run") || fail "the digests differ from the undisturbed run's"
echo "preempted, requeued, resumed: $(digests "$folder/run" | wc -l) equal digests"
