/* What this page can do, for whoever wants to do it without a page. */
globalThis.Arbiter = Object.freeze({
  judge: CLAIMS.judge,
  verify: CLAIMS.verify,
  /** The outcome of a draw `{id, parts}` and the commitment to its key, from the seed. */
  draw: CHANCE.answered,
  bytes: BYTES,
  msgpack: MSGPACK,
  archive: ARCHIVE,
  merkle: MERKLE,
  notes: NOTES,
  chance: CHANCE,
  seeds: SEEDS,
  seen: SEEN,
  events: EVENTS,
  listing: LISTING,
  agrees: SHA.agrees,
});
