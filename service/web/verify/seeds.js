/** Whether chance was what it had to be: every draw derived once more from the revealed seed. */
const SEEDS = (() => {
  'use strict';

  const { wrong } = LOG;

  const SEED = 32;
  const NAME_SALT = 16;
  const SALTED = 'match.name-salted.1';
  const GIVEN = 'match.client-seed-given.1';
  const COMMITTED = 'match.seed-committed.1';
  const SEALED = 'match.seed-sealed.1';
  const REWOUND = 'match.rewound.1';
  const REVEALED = ['match.seed-revealed.1', 'match.sealed-seed-revealed.1'];
  const SETTLED = ['match.draw-settled.1', 'match.sealed-draw-settled.1'];

  const ofSeeds = ({ type }) => [COMMITTED, SALTED, GIVEN, SEALED, ...REVEALED].includes(type);

  /** Throws unless chance was entered by hand all through. */
  const checkByHand = (events) => {
    let rewound = false;
    for (const { index, event } of events) {
      rewound ||= event.type === REWOUND;
      if (ofSeeds(event)) {
        wrong(`event ${index} is of a seed, where draws are entered by hand`);
      }
      const byHand = event.by === 'manual' || (event.by === 'ruling' && rewound);
      if (SETTLED.includes(event.type) && !byHand) {
        wrong(`event ${index} is no draw entered by hand`);
      }
    }
  };

  // What the record says of chance, epoch by epoch.

  /** The record begins one, and so does a rewind, unless it ends the match itself. */
  const begin = (epochs, begins, index, event, seats) => {
    if (!begins || event.epoch !== epochs.length) {
      wrong(`event ${index} begins a new epoch, and nothing was rewound`);
    }
    const seeds = Array(seats).fill(null);
    const salts = Array(seats).fill(null);
    epochs.push({ committed: event, seeds, salts, sealed: null, seed: null, drawn: [] });
  };

  const give = (last, index, { seat, seed }) => {
    if (last.sealed !== null) {
      wrong(`event ${index} adds to a seed that has been sealed`);
    }
    last.seeds[seat] = seed;
  };

  const saltName = (last, index, { seat, salt }) => {
    if (last.sealed !== null || last.salts[seat] !== null || last.committed.epoch !== 0) {
      wrong(`event ${index} salts a name that cannot be salted`);
    }
    last.salts[seat] = salt;
  };

  const seal = (last, index, event) => {
    if (last.sealed !== null || event.epoch !== last.committed.epoch) {
      wrong(`event ${index} seals a seed that cannot be sealed`);
    }
    last.sealed = event;
  };

  const reveal = (epochs, index, { epoch, seed }) => {
    if (!(epochs[epoch]?.seed === null)) {
      wrong(`event ${index} reveals a seed that cannot be revealed`);
    }
    epochs[epoch].seed = seed;
  };

  const noteSeed = (epochs, index, event) => {
    if (epochs.length === 0) {
      wrong(`event ${index} is of a seed that nobody has committed to`);
    }
    const last = epochs.at(-1);
    switch (event.type) {
      case GIVEN: give(last, index, event); break;
      case SALTED: saltName(last, index, event); break;
      case SEALED: seal(last, index, event); break;
      default: reveal(epochs, index, event);
    }
  };

  /** A settled draw, with the parts that were asked for. */
  const answer = (index, event, shown, asked) => {
    const known = event.type === 'match.draw-settled.1' ? shown : asked;
    if (known === null || known.id !== event.id || known.parts === null) {
      wrong(`event ${index} settles a draw that nobody has asked for`);
    }
    return { index, event, parts: known.parts };
  };

  const epochsOf = (events, seats) => {
    const epochs = [];
    let [shown, asked, begins] = [null, null, true];
    for (const { index, event, withheld } of events) {
      if (event.type === REWOUND) {
        begins = true;
      } else if (event.type === COMMITTED) {
        begin(epochs, begins, index, event, seats);
        begins = false;
      } else if (ofSeeds(event) && !withheld) {
        noteSeed(epochs, index, event);
      } else if (event.type === 'match.awaiting-changed.1') {
        shown = event.draw;
      } else if (event.type === 'match.draw-asked.1') {
        asked = event;
      } else if (SETTLED.includes(event.type) && epochs.length > 0) {
        if (begins) {
          wrong(`event ${index} settles a draw from the seed of another branch`);
        }
        epochs.at(-1).drawn.push(answer(index, event, shown, asked));
      }
    }
    return epochs;
  };

  // Whether it holds.

  const checkCommitted = (created, { committed, drawn }) => {
    const named = `epoch ${committed.epoch}`;
    if (committed.scheme !== CHANCE.SCHEME) {
      wrong(`${named}: the scheme ${committed.scheme} is not known`);
    }
    if (!BYTES.equal(committed.rules_hash, CHANCE.rulesHash(created))) {
      wrong(`${named}: the hash of the rules is another`);
    }
    const roster = CHANCE.rosterHash(committed.names);
    const all = committed.names.length === created.seats;
    if (!all || !BYTES.equal(committed.roster_hash, roster)) {
      wrong(`${named}: the hash of the roster is another`);
    }
    const ids = new Set();
    for (const { index, event } of drawn) {
      if (ids.has(event.id)) {
        wrong(`event ${index}: a draw of this id was settled before`);
      }
      ids.add(event.id);
    }
  };

  /** The names are the same in all epochs, and the seeds are revealed all together. */
  const checkTogether = (epochs) => {
    const [{ committed: { names } }] = epochs;
    const revealed = epochs.some(({ seed }) => seed !== null);
    for (const { committed, seed } of epochs) {
      if (!committed.names.every((name, seat) => BYTES.equal(name, names[seat]))) {
        wrong(`epoch ${committed.epoch}: the names are others than in epoch 0`);
      }
      if (revealed && seed === null) {
        wrong(`epoch ${committed.epoch}: the seed is not revealed with others`);
      }
    }
  };

  /** The names of those for whom the match was created, by seat, as far as they can be read. */
  const firstNames = (events) => {
    const names = new Map();
    for (const { event, withheld } of events) {
      if (event.type === 'match.seat-named.1' && !names.has(event.seat)) {
        names.set(event.seat, withheld ? undefined : event.name);
      }
    }
    return names;
  };

  /** Every name whose salt is opened is the one that was committed to. */
  const checkNames = (names, { committed, salts }) => {
    salts.forEach((salt, seat) => {
      if (salt === null) {
        return;
      }
      const named = names.get(seat);
      const right = named === undefined
        || BYTES.equal(CHANCE.saltedName(salt, named), committed.names[seat]);
      if (salt.length !== NAME_SALT || !right) {
        wrong(`epoch ${committed.epoch}: the name of seat ${seat} is not the one committed to`);
      }
    });
  };

  const checkSealed = (match, { committed, seeds, sealed, seed, drawn }) => {
    const named = `epoch ${committed.epoch}`;
    if (sealed === null) {
      if (drawn.length > 0) {
        wrong(`${named}: there are draws, and the seed was never sealed`);
      }
    } else {
      const clients = CHANCE.clients(seeds);
      const transcript = CHANCE.transcript(match, committed, clients);
      if (!BYTES.equal(sealed.clients, clients) || !BYTES.equal(sealed.transcript, transcript)) {
        wrong(`${named}: what was sealed is not what was committed to and added`);
      }
    }
    if (seed !== null) {
      const commit = CHANCE.commit(match, committed.epoch, seed);
      if (seed.length !== SEED || !BYTES.equal(commit, committed.commit)) {
        wrong(`${named}: the seed revealed is not the one committed to`);
      }
    }
  };

  const sameOutcome = (one, other) => CHANCE.compact(one) === CHANCE.compact(other);

  /** Checks a draw as far as the seed of its epoch is known. */
  const checkDraw = ({ committed, sealed, seed }, { index, event, parts }) => {
    if (event.by !== 'server') {
      wrong(`event ${index} was entered by hand, where the service draws`);
    }
    if (seed === null) {
      return;
    }
    const draw = { id: event.id, parts };
    const { outcome, keyCommit } = CHANCE.answered(seed, sealed.transcript, committed.epoch, draw);
    const sameKey = event.key_commit !== null && BYTES.equal(event.key_commit, keyCommit);
    if (!sameKey || !sameOutcome(event.outcome, outcome)) {
      wrong(`event ${index}: the draw e${committed.epoch}/${event.id} comes out otherwise`);
    }
  };

  /** Checks the chance of a match; `drawn` is how many draws have been derived once more, and
   * `open` why others may not have been. Records are null where an event is sealed. */
  const check = ({ manifest }, records) => {
    const created = records[0].event;
    const events = records.flatMap((record, index) => (
      record === null ? [] : [{ index, event: record.event, withheld: record.withheld === true }]
    ));
    if (created.chance === 'manual') {
      checkByHand(events);
      return { manual: true };
    }
    const epochs = epochsOf(events, created.seats);
    if (epochs.length === 0) {
      wrong('no seed was committed to');
    }
    checkTogether(epochs);
    const names = firstNames(events);
    for (const epoch of epochs) {
      checkCommitted(created, epoch);
      checkNames(names, epoch);
      checkSealed(manifest.match, epoch);
      epoch.drawn.forEach((drawn) => checkDraw(epoch, drawn));
    }
    const known = epochs.filter(({ seed }) => seed !== null);
    const drawn = known.reduce((count, epoch) => count + epoch.drawn.length, 0);
    return { manual: false, drawn, open: openOf(epochs, known, records) };
  };

  const OF_ROSTER = ['match.name-salted.1', 'match.seat-named.1'];

  /** Why draws may be left that could not be derived; null if there are none. */
  const openOf = (epochs, known, records) => {
    if (known.length < epochs.length) {
      return 'a seed is not revealed to this audience';
    }
    if (records.some((record) => record?.withheld && OF_ROSTER.includes(record.event.type))) {
      return 'a name is withheld, which the hash of the roster commits to';
    }
    return records.includes(null) ? 'draws may be among the sealed events' : null;
  };

  return { check, epochsOf, checkDraw };
})();
