/** Checks every receipt: what was acknowledged is in the log, as it was, behind the same commitment
 * to a seed. */
const RECEIPT_CHECK = (() => {
  'use strict';

  const { wrong } = LOG;
  const { PUBLIC, OWN_SEAT } = EVENTS;

  const SECOND = 1_000_000;
  const NO_SALT = new Uint8Array(32);
  const AT_ONCE = 64;
  const BESIDES = ' that was given besides';
  const READERS = { receipt: NOTES.receipt, 'creation note': NOTES.creation };
  const FIELDS = ['seat', 'ruling', 'count', 'phase', 'received', 'recorded', 'status', 'key'];
  const { DIRECTOR } = SEEN;

  /** The instant in UTC (RFC 3339): with six digits after whole seconds unless they are zeros. */
  const rfc3339 = (at) => {
    const rest = at % SECOND;
    const [whole] = new Date((at - rest) / 1000).toISOString().split('.');
    return rest === 0 ? `${whole}Z` : `${whole}.${String(rest).padStart(6, '0')}Z`;
  };

  // What was submitted.

  /** How an action fared, as its first consequence says it. */
  const fared = (next) => {
    switch (next?.back === 1 ? next.event.type : undefined) {
      case 'match.action-refused.1': return `refused ${next.event.code}`;
      case 'match.submission-invalid.1': return `invalid ${next.event.code}`;
      default: return 'accepted';
    }
  };

  const ofAction = ({ at, event }, phase, next) => {
    const { seat, key, recorded = at } = event;
    return { seat, ruling: null, key, phase, received: at, recorded, status: fared(next) };
  };

  const ofSeed = ({ at, event: { seat } }) => ({
    seat, ruling: null, key: null, phase: null, received: at, recorded: at, status: 'accepted',
  });

  const ofOrder = ({ at, ruling, count, status }) => ({
    seat: DIRECTOR, ruling, key: null, phase: null, received: at, recorded: at, status, count,
  });

  /** What a receipt says of each action and client seed that can be read, by its place in the log;
   * `count` is right where all that the seat may see can be read. */
  const submissions = (records) => {
    const [made, own] = [new Map(), new Map()];
    let [open, phase] = [0, null];
    records.forEach((record, index) => {
      if (record === null) {
        return;
      }
      const { audience, event, event: { seat } } = record;
      open += Number(audience === PUBLIC);
      own.set(seat, (own.get(seat) ?? 0) + Number(audience === OWN_SEAT));
      if (event.type === 'match.awaiting-changed.1') {
        ({ phase } = event);
      }
      const said = submitted(record, phase, records[index + 1]);
      if (said !== null) {
        made.set(index, { ...said, count: open + own.get(seat) });
      }
    });
    return made;
  };

  const submitted = (record, phase, next) => {
    switch (record.event.type) {
      case 'match.action-received.1': return ofAction(record, phase, next);
      case 'match.client-seed-given.1': return ofSeed(record);
      default: return null;
    }
  };

  // Receipts.

  /** The indices in the log of the events for each commitment in a receipt, in hexadecimal: of equal
   * public inputs at one instant, as a seat's client seeds, there are several. */
  const indices = ({ leaves }, records) => {
    const found = new Map();
    const add = (commitment, index) => {
      const name = BYTES.hex(commitment);
      if (!found.has(name)) {
        found.set(name, []);
      }
      found.get(name).push(index);
    };
    leaves.forEach(({ commitment, stored }, index) => {
      if (commitment !== null) {
        add(commitment, index);
      } else if (stored !== undefined && SEEN.begins(records[index])) {
        add(LOG.commitment(NO_SALT, stored), index);
      }
    });
    return found;
  };

  /** The hash of the commitment to a seed at this index; null if it is none. */
  const seedAt = (record) => (record?.event.type === 'match.seed-committed.1'
    ? SHA.sha256(record.stored) : null);

  /** For each index the hash of the last commitment to a seed when what follows from an input there
   * was on record. */
  const seedsBy = (records) => {
    const causes = new Map();
    records.forEach((record, index) => {
      const seed = seedAt(record);
      if (seed !== null) {
        causes.set(index - record.back, seed);
      }
    });
    let last = null;
    return records.map((_, index) => {
      last = causes.get(index) ?? last;
      return last;
    });
  };

  /** Those of whom everything that they were told can be read. */
  const receivers = ({ manifest: { seat } }, records) => {
    const { seats, record } = records[0].event;
    if (!records.includes(null)) {
      return [DIRECTOR, ...Array(seats).keys()];
    }
    return seat !== null && record !== 'closed' ? [seat] : [];
  };

  /** The key of what was seen is there exactly when the match is over. */
  const checkKeyOfSeen = ({ seenKey }, records) => {
    const over = records.some((record) => record !== null && SEEN.makesOver(record));
    if (over && seenKey === null) {
      wrong('the match is over, and the key of what was seen is not there');
    }
    if (seenKey !== null && !over) {
      wrong('the key of what was seen is there, and the match is not over');
    }
  };

  const same = (one, other) => (one === null || other === null
    ? one === other : BYTES.equal(one, other));

  const hasKey = ({ keys }) => keys.some(({ purpose }) => purpose === 'receipts');

  /** What a note says, of this match and, if there is a key of receipts, by such a key. */
  const believed = async (note, what, whose, given) => {
    const said = LOG.readBesides(what, note.text, READERS[what]);
    if (hasKey(given) && !await NOTES.signedFor('receipts', given.keys, note)) {
      wrong(`a ${what}${whose} is signed by no given key of receipts`);
    }
    const { kind, match } = given.bundle.manifest;
    if (said.match !== match || (said.kind ?? 'match') !== kind) {
      wrong(`a ${what}${whose} is of another ${kind}`);
    }
    return said;
  };

  /** What the receipts say; so many signatures are checked at once. */
  const allBelieved = async (notes, whose, given) => {
    const said = [];
    for (let from = 0; from < notes.length; from += AT_ONCE) {
      const some = notes.slice(from, from + AT_ONCE);
      said.push(...await Promise.all(
        some.map((note) => believed(note, 'receipt', whose, given)),
      ));
    }
    return said;
  };

  /** Checks a creation note that was given besides. */
  const checkCreation = async (note, given) => {
    const { created, seedCommitted } = await believed(note, 'creation note', BESIDES, given);
    const [first, second] = given.records;
    if (!BYTES.equal(created, SHA.sha256(first.stored))) {
      wrong(`the creation note${BESIDES} is of another creation than event 0`);
    }
    if (!same(seedCommitted, seedAt(second))) {
      wrong(`the creation note${BESIDES} names another commitment to the seed`);
    }
  };

  const asSaid = (made) =>
    ({ ...made, received: rfc3339(made.received), recorded: rfc3339(made.recorded) });

  /** Why a receipt is not for the event at this index; null if it is. `counts` says whether a
   * seat's events can be counted. */
  const differing = (said, index, { bundle: { seenKey }, records }, log) => {
    const { made, seeds, seen, counts } = log;
    if (!same(said.seedCommitted, seeds[index])) {
      return 'names another commitment to the seed than the log';
    }
    if (!made.has(index)) {
      return mayBe(said, index, records)
        ? null : `is for event ${index}, which nobody gave like that`;
    }
    const wanted = asSaid(made.get(index));
    const other = FIELDS.find((field) => wanted[field] !== said[field]
      && (field !== 'count' || counts(said.seat)));
    if (other !== undefined) {
      return `says another ${other} than event ${index}`;
    }
    const known = seenKey !== null && seen.has(index);
    return !known || BYTES.equal(SEEN.blinded(seenKey, said.nonce, seen.get(index)), said.seen)
      ? null : 'is of another log: what was told by then has been changed';
  };

  /** Whether an event that can be read as no input with a receipt may be one: it is sealed, or who
   * ordered it is. */
  const mayBe = ({ seat }, index, records) => records[index] === null
    || (seat === DIRECTOR && SEEN.isOrder(records[index]));

  /** The place of the first of these ascending indices that is behind `last`. */
  const placeBehind = (indices, last) => {
    let [low, high] = [0, indices.length];
    while (low < high) {
      const middle = Math.floor((low + high) / 2);
      [low, high] = indices[middle] > last ? [low, middle] : [middle + 1, high];
    }
    return low;
  };

  /** The index in the log of the event a receipt is for, behind that of the `last` receipt. */
  const receiptIndex = (said, whose, given, log, last = -1) => {
    const of = said.seat === DIRECTOR ? 'what was ordered' : `seat ${said.seat}`;
    const name = `the receipt${whose} of ${of} for its event ${said.count}, ${said.received},`;
    const found = log.found.get(BYTES.hex(said.commitment));
    if (found === undefined) {
      wrong(`${name} is for something that is not in the log: it has been dropped`);
    }
    let why = null;
    for (let place = placeBehind(found, last); place < found.length; place += 1) {
      why = differing(said, found[place], given, log);
      if (why === null) {
        return found[place];
      }
    }
    return wrong(why === null ? 'receipts are not in the order of the log' : `${name} ${why}`);
  };

  /** For each submission and order that a bundle shows there is one receipt in it. */
  const checkComplete = ({ audience, seat }, record, listed, made) => {
    if (audience === 'public') {
      if (listed.length > 0) {
        wrong("the public's bundle holds receipts");
      }
      return;
    }
    const wanted = [...made.keys()].sort((one, other) => one - other)
      .filter((index) => seat === null || made.get(index).seat === seat);
    const [there, own] = [new Set(listed), new Set(wanted)];
    const missing = wanted.find((index) => !there.has(index));
    if (missing !== undefined) {
      wrong(`there is no receipt for event ${missing}`);
    }
    const surplus = listed.find((index) => !own.has(index));
    if (surplus !== undefined && (seat === null || record !== 'closed')) {
      wrong(`there is a receipt for event ${surplus}, which is not this seat's`);
    }
  };

  const isCreation = ({ text }) => NOTES.isCreation(text);
  const isOther = (note) => !isCreation(note);

  /** Checks the notes that were given besides. */
  const checkSaved = async (notes, given, log) => {
    const saved = await allBelieved(notes.filter(isOther), BESIDES, given);
    const found = saved.map((said) => receiptIndex(said, BESIDES, given, log));
    for (const note of notes.filter(isCreation)) {
      await checkCreation(note, given);
    }
    return found;
  };

  /** Checks every receipt and creation note, in the bundle or given besides: how many there are,
   * whether there is a key to check them with, and of how many it cannot be shown what their
   * receivers had been told. */
  const receipts = async (given) => {
    const { bundle: { manifest, ...bundle }, records } = given;
    checkKeyOfSeen(bundle, records);
    const nobodys = SEEN.undirected(records);
    if (nobodys >= 0) {
      wrong(`event ${nobodys}: match.directed.1 should stand right behind it, and does not`);
    }
    const besides = given.receipts.map((text) => LOG.readBesides('receipt', text));
    const count = bundle.receipts.length + besides.length;
    const closed = records[0].event.record === 'closed';
    const counts = (seat) =>
      [manifest.audience, seat].includes(DIRECTOR) || (manifest.seat === seat && !closed);
    const all = receivers(given.bundle, records);
    const { seen, orders } = SEEN.fold(manifest.match, all, bundle.leaves, records);
    const made = submissions(records);
    orders.forEach((order, index) => made.set(index, ofOrder(order)));
    const log = { found: indices(bundle, records), made, seeds: seedsBy(records), seen, counts };
    const own = await allBelieved(bundle.receipts, '', given);
    if (manifest.seat !== null && own.some(({ seat }) => seat !== manifest.seat)) {
      wrong("a receipt in a seat's bundle is another seat's");
    }
    const listed = [];
    own.forEach((said) => listed.push(receiptIndex(said, '', given, log, listed.at(-1))));
    const saved = hasKey(given) ? await checkSaved(besides, given, log) : [];
    checkComplete(manifest, records[0].event.record, listed, made);
    const shows = (index) => bundle.seenKey !== null && seen.has(index);
    const unseen = [...listed, ...saved].filter((index) => !shows(index)).length;
    return { count, checked: count === 0 || hasKey(given), unseen };
  };

  return { rfc3339, same, hasKey, allBelieved, receipts };
})();
