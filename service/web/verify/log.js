/** Whether a log is the one that was signed, and what is opened of it the one it commits to. */
const LOG = (() => {
  'use strict';

  const { PUBLIC, OWN_SEAT } = EVENTS;

  /** What is wrong with a bundle, as a sentence. */
  class Wrong extends Error {}

  const wrong = (why) => {
    throw new Wrong(why);
  };

  const COMMITTED = BYTES.utf8('arbiter-log/1/commit\n');
  const HASHED = ['leaves', 'openings', 'receipts', 'seen'];
  const SALT = 32;

  /** What commits to an event's stored bytes under a salt. */
  const commitment = (salt, stored) => SHA.hmac(salt, BYTES.concat(COMMITTED, stored));

  // The signatures and the tree.

  const signatures = async ({ bundle, keys }) => {
    for (const name of ['manifest', 'checkpoint']) {
      if (!await NOTES.signedFor('log', keys, bundle[`${name}Note`])) {
        wrong(`no given key of a log has signed the ${name}`);
      }
    }
    if (bundle.checkpoint.match !== bundle.manifest.match) {
      wrong('manifest and checkpoint are of different logs');
    }
    for (const name of HASHED.filter((one) => bundle.parts[one] !== undefined)) {
      if (!BYTES.equal(SHA.sha256(bundle.parts[name]), bundle.manifest.hashes[name])) {
        wrong(`the ${name} are not those of the manifest`);
      }
    }
    const { manifest: { matches }, matches: inside } = bundle;
    const hashes = [...inside.values()].map((one) => SHA.sha256(one));
    if (matches !== null && !BYTES.equal(SHA.sha256(BYTES.concat(...hashes)), matches)) {
      wrong('the bundles of the matches are not those of the manifest');
    }
  };

  /** Checks that checkpoints, which ascend, are of beginnings of these leaves. */
  const checkRoots = (leaves, checkpoints) => {
    const sizes = checkpoints.map(({ size }) => size);
    const roots = MERKLE.roots(leaves, sizes);
    checkpoints.forEach(({ size, root }, place) => {
      if (!BYTES.equal(roots[place], root)) {
        wrong(`the first ${size} events are not those that were signed`);
      }
    });
  };

  const root = ({ bundle: { leaves, checkpoint } }) => {
    if (checkpoint.size !== leaves.length) {
      wrong(`the checkpoint is of ${checkpoint.size} events, not ${leaves.length}`);
    }
    checkRoots(leaves, [checkpoint]);
  };

  /** A saved checkpoint. */
  const savedCheckpoint = async (text, { bundle, keys }) => {
    const note = readBesides('checkpoint', text);
    if (!await NOTES.signedFor('log', keys, note)) {
      wrong('a checkpoint that was given besides is signed by no given key of a log');
    }
    const checkpoint = readBesides('checkpoint', note.text, NOTES.checkpoint);
    if (checkpoint.match !== bundle.manifest.match) {
      wrong('a checkpoint that was given besides is of another log');
    }
    return checkpoint;
  };

  const readBesides = (what, text, read = NOTES.read) => {
    try {
      return read(text);
    } catch (error) {
      return wrong(`a ${what} that was given besides: ${error.message}`);
    }
  };

  const earlier = async (given) => {
    const { leaves } = given.bundle;
    const known = await Promise.all(given.checkpoints.map((text) => savedCheckpoint(text, given)));
    known.sort((one, other) => one.size - other.size);
    const longer = known.find(({ size }) => size > leaves.length);
    checkRoots(leaves, known.filter(({ size }) => size <= leaves.length));
    if (longer !== undefined) {
      wrong(`there was a checkpoint of ${longer.size} events, and now there are only `
        + `${leaves.length}`);
    }
    return known.length;
  };

  // The events.

  /** The record in these bytes, with its audience; `open` if its leaf is a public one. */
  const recordOf = (stored, index, manifest, open) => {
    try {
      const record = EVENTS.record(stored, manifest.game);
      return { ...record, stored, audience: EVENTS.audience(record.event, open) };
    } catch (error) {
      return wrong(`event ${index} is not spelt as events are stored (${error.message})`);
    }
  };

  const publicRecord = (manifest) => (leaf, index) => {
    if (leaf.commitment !== null || leaf.hash !== undefined) {
      return null;
    }
    const record = recordOf(leaf.stored, index, manifest, true);
    if (String(record.at) !== leaf.time) {
      wrong(`event ${index} does not bear the time of its leaf`);
    }
    if (record.audience !== PUBLIC) {
      wrong(`event ${index} is not public, and its leaf is`);
    }
    return record;
  };

  /** Whether a bundle of this audience opens a private event: a moderator's all; a seat's those
   * for that seat, unless the record is closed. */
  const opens = (manifest, created, { audience, event }) => {
    const own = manifest.seat !== null && created.record !== 'closed';
    return manifest.audience === 'moderator'
      || (own && audience === OWN_SEAT && event.seat === manifest.seat);
  };

  const SHOWN = /^Player (0|[1-9][0-9]{0,3})$/;

  /** What is left of an event in which a name is withheld, by its stored name. */
  const LEFT = {
    'match.seat-named.1': ({ name, blind }) => SHOWN.test(name) && blind.length === 0,
    'tournament.player-named.1': ({ name, blind }) => SHOWN.test(name) && blind.length === 0,
    'match.name-salted.1': ({ salt }) => salt.length === 0,
    'tournament.player-waits.1': ({ name }) => SHOWN.test(name),
    'match.ruling-ordered.1': ({ ruling }) => SHOWN.test(ruling.name),
    'match.ruling-proposed.1': ({ ruling }) => SHOWN.test(ruling.name),
    'match.consent-asked.1': ({ name }) => SHOWN.test(name),
  };

  /** What stands in place of an event in which a name is withheld. The leaf proves that there was
   * one; that it was this one, but for the name, only the rules can show. */
  const withheldRecord = ({ leaves, manifest }, created, { n, stored }) => {
    const open = leaves[n].hash !== undefined;
    const record = recordOf(stored, n, manifest, open);
    if ((record.audience === PUBLIC) !== open || LEFT[record.event.type]?.(record.event) !== true) {
      wrong(`event ${n} is withheld, and is none that holds a name`);
    }
    if (!open && !opens(manifest, created, record)) {
      wrong(`event ${n} is opened to those who may not see it`);
    }
    return { ...record, withheld: true };
  };

  const openedRecord = ({ leaves, manifest }, created, { n, stored, salt }) => {
    const committed = leaves[n].commitment;
    const fits = committed !== null && salt.length === SALT
      && BYTES.equal(commitment(salt, stored), committed);
    if (!fits) {
      wrong(`the opening of event ${n} is not what the log commits to`);
    }
    const record = recordOf(stored, n, manifest, false);
    if (record.audience === PUBLIC) {
      wrong(`event ${n} is public, and its leaf is not`);
    }
    if (!opens(manifest, created, record)) {
      wrong(`event ${n} is opened to those who may not see it`);
    }
    return record;
  };

  /** The seat that an event is for, or that has given a seed; undefined where it is for all. */
  const seatOf = ({ audience, event }) => {
    const named = audience === OWN_SEAT || event.type === 'match.client-seed-given.1';
    return named ? event.seat : undefined;
  };

  const checkEvent = (record, index, last, seats, first) => {
    const { at, event } = record;
    if (at < last) {
      wrong(`event ${index} bears an earlier time than one before it`);
    }
    if (index > 0 && event.type === first) {
      wrong(`event ${index} creates it once more`);
    }
    const seat = seatOf(record);
    if (seat !== undefined && !(FORMS.whole(seat) && seat >= 0 && seat < seats)) {
      wrong(`event ${index} is of a seat that there is not`);
    }
  };

  /** All events of one stored name have one audience, also where no table has them. */
  const checkAudience = ({ audience, event: { type } }, index, audiences) => {
    if ((audiences.get(type) ?? audience) !== audience) {
      wrong(`event ${index}, ${type}, is for others than one of its kind before it`);
    }
    audiences.set(type, audience);
  };

  const checkOrder = (records, seats, first) => {
    const audiences = new Map();
    let last = 0;
    records.forEach((record, index) => {
      if (record !== null) {
        checkEvent(record, index, last, seats, first);
        checkAudience(record, index, audiences);
        last = record.at;
      }
    });
  };

  const checkWhole = ({ audience, seat, game, rulesVersion }, rules, seats, records) => {
    if (rules.game !== game || rules.version !== rulesVersion) {
      wrong('the manifest names other rules than the match was created by');
    }
    if (seat !== null && seat >= seats) {
      wrong('there is no such seat');
    }
    const hidden = records.indexOf(null);
    if (audience === 'moderator' && hidden >= 0) {
      wrong(`event ${hidden} is not opened, in a bundle that opens all`);
    }
  };

  /** By what rules tournaments are held. */
  const TOURNAMENTS = { game: 'tournament', version: 1 };

  /** How many players have entered a tournament. */
  const playersIn = (records) =>
    records.filter((one) => one?.event.type === 'tournament.player-entered.1').length;

  /** Every event that can be read, as `{at, back, event, stored}`, and null for every other one. */
  const openings = (bundle) => {
    const records = bundle.leaves.map(publicRecord(bundle.manifest));
    const created = records[0]?.event;
    const first = `${bundle.manifest.kind}.created.1`;
    if (created?.type !== first) {
      wrong(`event 0 is not ${first}`);
    }
    let last = -1;
    for (const opening of bundle.openings) {
      if (opening.n <= last || opening.n >= records.length) {
        wrong('openings are not in the order of the log');
      }
      last = opening.n;
      records[last] = opening.salt.length === 0
        ? withheldRecord(bundle, created, opening)
        : openedRecord(bundle, created, opening);
    }
    bundle.leaves.forEach(({ hash }, index) => {
      if (hash !== undefined && records[index] === null) {
        wrong(`event ${index} is given by its hash alone, and no name stands there`);
      }
    });
    const ofMatch = bundle.manifest.kind === 'match';
    const seats = ofMatch ? created.seats : playersIn(records);
    const rules = ofMatch ? { game: created.game, version: created.rules_version } : TOURNAMENTS;
    checkOrder(records, seats, first);
    checkWhole(bundle.manifest, rules, seats, records);
    return records;
  };

  return { Wrong, wrong, commitment, readBesides, signatures, root, earlier, openings };
})();
