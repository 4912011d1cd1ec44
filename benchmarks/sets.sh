#!/bin/sh
# The benchmark of docs/benchmark (thirteen sets, every method, five seeds) and the reproduction of docs/reproduction.
#
#     DATA=../shared/datasets benchmarks/sets.sh benchmark docs/benchmark [--cells-only | --page-only] [-w 16]
#     DATA=../shared/datasets benchmarks/sets.sh reproduce docs/reproduction [--cells-only | --page-only] [-w 16]
#
# A stopped run continues from cells.jsonl in its folder. Other options go to viewfuse too. PYTHON is the interpreter; a folder
# of packages that it lacks is taken from SITE (see benchmarks/pack.py). Data and results are linked into a scratch folder, so
# that the commands on the pages name no place of one machine.
set -eu
what=$1
mkdir -p "$2"
results=$(cd "$2" && pwd)
shift 2
root=$(cd "$(dirname "$0")/.." && pwd)
data=$(cd "${DATA:-$root/../shared/datasets}" && pwd)
site=${SITE:+$(cd "$SITE" && pwd)}
python=$(command -v "${PYTHON:-python3}")
case $python in
    /*) ;;
    *) python=$PWD/$python ;;
esac

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
ln -s "$data" "$scratch/datasets"
ln -s "$results" "$scratch/$what"
cd "$scratch"
export PYTHONPATH="$root/src${site:+:$site}" VIEWFUSE_DATA=datasets OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1

if [ "$what" = benchmark ]; then
    # The largest first, so that no long fit begins when the others are done.
    "$python" -m viewfuse benchmark -o benchmark \
        -d MNIST-4,GFSC-Reuters,GFSC-Digits,100Leaves,WebKB,ProteinFold,Movies,MSRC-v5,3Sources,GFSC-BBC \
        --data datasets/BBCSport_fea_gt.mat --data datasets/ORL_4view.mat --data datasets/NGs.mat \
        --seeds 5 --shipped --limit 180s --memory 7GB "$@"
else
    case "$*" in
        *--page-only*) sets=BBC,Reuters,Digits,Caltech20,MSRC-v5 ;; # as in the paper
        *) sets=Digits,Reuters,BBC,MSRC-v5,Caltech20 ;;             # the longest first
    esac
    "$python" -m viewfuse reproduce -o reproduce -d "$sets" "$@"
fi
