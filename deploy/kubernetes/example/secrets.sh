#!/bin/sh
# Makes the secrets of an installation beside this file, once: secrets.env and keys/.
#
#   ARBITER_NAME=play.example.org ./secrets.sh
#
# The signing keys are named after ARBITER_NAME for good: a host name of yours. Needs `arbiter`.
set -eu
umask 077
cd "$(dirname "$0")"
: "${ARBITER_NAME:?say what the signing keys are named after: a host name of yours}"
if [ -e secrets.env ] || [ -e keys ]; then
    echo "secrets.env or keys is there already: nothing is changed" >&2
    exit 1
fi

random() {
    head -c "$1" /dev/urandom | od -An -v -tx1 | tr -d ' \n'
}

env -u PERSISTENCE_MODULE ARBITER_KEYS=keys arbiter keys published --data keys > /dev/null
mkdir keys/tickets
head -c 32 /dev/urandom > keys/tickets/secret.key
redis_password=$(random 24)
{
    echo "ARBITER_NAME=$ARBITER_NAME"
    echo "ARBITER_ORGANISER_KEY=arb_org_$(random 32)"
    echo "POSTGRES_PASSWORD=$(random 24)"
    echo "REDIS_PASSWORD=$redis_password"
    echo "ARBITER_REDIS_URL=redis://:$redis_password@redis:6379/0"
} > secrets.env
echo "Made secrets.env and keys/. Keep a copy of each, apart from one another."
