/** Chance that can be checked afterwards: `arbiter-rng/1`, from SHA-256 and HMAC alone. */
const CHANCE = (() => {
  'use strict';

  const { lp, u32, u64, utf8 } = BYTES;

  const SCHEME = 'arbiter-rng/1';
  const WORD = 2 ** 32;

  /** H of the scheme: SHA-256 over the length-prefixed parts. */
  const digest = (...parts) => SHA.sha256(lp(...parts));

  /** F of the scheme: HMAC-SHA-256 over the length-prefixed parts. */
  const keyed = (key, ...parts) => SHA.hmac(key, lp(...parts));

  /** What is published of a seed before the match starts. */
  const commit = (match, epoch, seed) => digest(`${SCHEME}/commit`, match, u32(epoch), seed);

  /** The hash of what the seats added: texts by seat, null where there is none. */
  const clients = (seeds) => digest(`${SCHEME}/clients`, ...[...seeds.keys()]
    .filter((seat) => seeds[seat] !== null)
    .map((seat) => BYTES.concat(u32(seat), utf8(seeds[seat]))));

  /** The order of two texts by their code points. */
  const byCodePoints = (one, other) => {
    const points = (text) => [...text].map((sign) => sign.codePointAt(0));
    const [first, second] = [points(one), points(other)];
    const at = first.findIndex((point, place) => point !== second[place]);
    return at < 0 ? first.length - second.length : first[at] - (second[at] ?? -1);
  };

  /** JSON without spaces and with sorted keys. */
  const compact = (value) => {
    if (value === null || typeof value !== 'object') {
      return typeof value === 'bigint' ? String(value) : JSON.stringify(value);
    }
    if (Array.isArray(value)) {
      return `[${value.map(compact).join(',')}]`;
    }
    const entries = value instanceof Map ? [...value] : Object.entries(value);
    const sorted = entries.sort(([one], [other]) => byCodePoints(one, other));
    return `{${sorted.map(([key, own]) => `${JSON.stringify(key)}:${compact(own)}`).join(',')}}`;
  };

  /** What is played, by which rules and options. */
  const rulesHash = ({ game, rules_version: version, options }) =>
    digest(`${SCHEME}/rules`, game, String(version), compact(options));

  /** A seat's name as it stands in the roster. */
  const saltedName = (salt, name) => digest(salt, name);

  /** Who plays: of the hash of each seat's salted name. */
  const rosterHash = (names) => digest(`${SCHEME}/roster`, ...names);

  /** All that is fixed before the first draw of an epoch, without a beacon. */
  const transcript = (match, committed, given) => digest(
    `${SCHEME}/transcript`,
    match,
    u32(committed.epoch),
    committed.commit,
    committed.rules_hash,
    committed.roster_hash,
    given,
    '',
    u64(0),
    '',
  );

  /** The key of all draws of an epoch. */
  const master = (seed, fixed) => keyed(seed, `${SCHEME}/master`, fixed);

  /** The key of one draw; `name` is `e<epoch>/<draw id>`. */
  const drawKey = (masterKey, name) => keyed(masterKey, `${SCHEME}/draw`, name, '');

  /** What is published of a draw's key with its outcome. */
  const keyCommit = (name, key) => digest(`${SCHEME}/key-commit`, name, key);

  /** The stream of a key: words of 32 bits, big-endian, eight from each block. */
  class Words {
    constructor(key) {
      this.key = key;
      this.used = 0;
    }

    next() {
      const place = this.used % 8;
      if (place === 0) {
        const block = keyed(this.key, `${SCHEME}/block`, u64(this.used / 8));
        this.block = new DataView(block.buffer);
      }
      this.used += 1;
      return this.block.getUint32(4 * place);
    }
  }

  /** An even number in 0..n-1: words past the last whole multiple of n are rejected. */
  const below = (n, words) => {
    if (n === 1) {
      return 0;
    }
    const limit = WORD - (WORD % n);
    let word = words.next();
    while (word >= limit) {
      word = words.next();
    }
    return word % n;
  };

  /** Fisher and Yates, from the last place down. */
  const shuffled = (items, words) => {
    const order = [...items];
    for (let last = order.length - 1; last > 0; last -= 1) {
      const other = below(last + 1, words);
      [order[last], order[other]] = [order[other], order[last]];
    }
    return order;
  };

  /** How each kind of part is answered. */
  const ANSWERS = {
    flip: (part, words) => (below(2, words) === 0 ? 'heads' : 'tails'),
    shuffle: ({ items }, words) => shuffled(items, words),
    roll: ({ sides }, words) => 1 + below(sides, words),
  };

  /** The outcome of the parts of a draw under its key; they share one stream, in order. */
  const outcome = (parts, key) => {
    const words = new Words(key);
    return parts.map((part) => ANSWERS[part.kind](part, words));
  };

  /** The outcome of a draw and the commitment to its key, from the seed of its epoch. */
  const answered = (seed, fixed, epoch, { id, parts }) => {
    const name = `e${epoch}/${id}`;
    const key = drawKey(master(seed, fixed), name);
    return { outcome: outcome(parts, key), keyCommit: keyCommit(name, key) };
  };

  return {
    SCHEME, commit, clients, compact, rulesHash, saltedName, rosterHash, transcript, master,
    drawKey, keyCommit, outcome, answered,
  };
})();
