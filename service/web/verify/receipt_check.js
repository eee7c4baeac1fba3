/** Checks every receipt: what was acknowledged is in the log, as it was. */
const RECEIPT_CHECK = (() => {
  'use strict';

  const { wrong } = LOG;
  const { PUBLIC, OWN_SEAT } = EVENTS;

  const SECOND = 1_000_000;
  const NO_SALT = new Uint8Array(32);
  const AT_ONCE = 64;
  const FIELDS = ['seat', 'count', 'phase', 'received', 'recorded', 'status', 'key'];

  /** The instant in UTC (RFC 3339): with six digits after whole seconds unless they are zeros. */
  const rfc3339 = (at) => {
    const seconds = Math.floor(Number(at) / SECOND);
    const rest = Number(at) - seconds * SECOND;
    const [whole] = new Date(seconds * 1000).toISOString().split('.');
    return rest === 0 ? `${whole}Z` : `${whole}.${String(rest).padStart(6, '0')}Z`;
  };

  // What was submitted.

  /** How an action fared, as the next event says it. */
  const fared = (next) => {
    switch (next?.event.type) {
      case 'match.action-refused.1': return `refused ${next.event.code}`;
      case 'match.submission-invalid.1': return `invalid ${next.event.code}`;
      default: return 'accepted';
    }
  };

  const ofAction = ({ at, event }, phase, next) => {
    const { seat, key, recorded = at } = event;
    return { seat, key, phase, received: at, recorded, status: fared(next) };
  };

  const ofSeed = ({ at, event: { seat } }) =>
    ({ seat, key: null, phase: null, received: at, recorded: at, status: 'accepted' });

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

  /** The index in the log of the event for each commitment in a receipt, in hexadecimal. */
  const indices = ({ leaves }, records) => {
    const found = new Map();
    leaves.forEach(({ commitment, stored }, index) => {
      if (commitment !== null) {
        found.set(BYTES.hex(commitment), index);
      } else if (records[index].event.type === 'match.client-seed-given.1') {
        found.set(BYTES.hex(LOG.commitment(NO_SALT, stored)), index);
      }
    });
    return found;
  };

  /** What a receipt says, by a key of receipts and of this match. */
  const believed = async (note, whose, { bundle, keys }) => {
    const said = LOG.readBesides('receipt', note.text, NOTES.receipt);
    if (!await NOTES.signedFor('receipts', keys, note)) {
      wrong(`a receipt${whose} is signed by no given key of receipts`);
    }
    if (said.match !== bundle.manifest.match) {
      wrong(`a receipt${whose} is of another match`);
    }
    return said;
  };

  /** What the receipts say; so many signatures are checked at once. */
  const allBelieved = async (notes, whose, given) => {
    const said = [];
    for (let from = 0; from < notes.length; from += AT_ONCE) {
      const some = notes.slice(from, from + AT_ONCE);
      said.push(...await Promise.all(some.map((note) => believed(note, whose, given))));
    }
    return said;
  };

  const asSaid = (made) =>
    ({ ...made, received: rfc3339(made.received), recorded: rfc3339(made.recorded) });

  /** The index in the log of the event a receipt is for; `counts` says whether a seat's events can
   * be counted. */
  const receiptIndex = (said, whose, given, found, made, counts) => {
    const { seat, count, received } = said;
    const name = `the receipt${whose} of seat ${seat} for its event ${count}, ${received},`;
    const index = found.get(BYTES.hex(said.commitment));
    if (index === undefined) {
      wrong(`${name} is for something that is not in the log: it has been dropped`);
    }
    if (given.records[index] === null) {
      return index;
    }
    if (!made.has(index)) {
      wrong(`${name} is for event ${index}, which nobody submitted`);
    }
    const wanted = asSaid(made.get(index));
    const other = FIELDS.find((field) => wanted[field] !== said[field]
      && (field !== 'count' || counts(seat)));
    if (other !== undefined) {
      wrong(`${name} says another ${other} than event ${index}`);
    }
    return index;
  };

  /** For each submission that a bundle shows to have been made there is one receipt in it. */
  const checkComplete = ({ audience, seat }, record, listed, made) => {
    if (audience === 'public') {
      if (listed.length > 0) {
        wrong("the public's bundle holds receipts");
      }
      return;
    }
    if (listed.some((index, place) => place > 0 && index <= listed[place - 1])) {
      wrong('receipts are not in the order of the log');
    }
    const wanted = [...made.keys()].filter((index) => (
      seat === null || made.get(index).seat === seat
    ));
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

  /** Checks every receipt, in the bundle or given besides: how many there are, or null if there
   * are some and no key to check them with. */
  const receipts = async (given) => {
    const { bundle: { manifest, ...bundle }, records } = given;
    const besides = given.receipts.map((text) => LOG.readBesides('receipt', text));
    const count = bundle.receipts.length + besides.length;
    if (count > 0 && !given.keys.some(({ purpose }) => purpose === 'receipts')) {
      return null;
    }
    const closed = records[0].event.record === 'closed';
    const counts = (seat) =>
      manifest.audience === 'moderator' || (manifest.seat === seat && !closed);
    const [found, made] = [indices(bundle, records), submissions(records)];
    const check = (whose) => (said) => receiptIndex(said, whose, given, found, made, counts);
    const own = await allBelieved(bundle.receipts, '', given);
    if (manifest.seat !== null && own.some(({ seat }) => seat !== manifest.seat)) {
      wrong("a receipt in a seat's bundle is another seat's");
    }
    const listed = own.map(check(''));
    const whose = ' that was given besides';
    (await allBelieved(besides, whose, given)).forEach(check(whose));
    checkComplete(manifest, records[0].event.record, listed, made);
    return count;
  };

  return { rfc3339, receipts };
})();
