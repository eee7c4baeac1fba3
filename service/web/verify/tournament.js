/** What can be judged of a tournament without its rules: receipts, its matches,
 * their results, and its lots. */
const TOURNAMENT = (() => {
  'use strict';

  const { wrong } = LOG;
  const { PUBLIC, OWN_SEAT } = EVENTS;

  const NO_SALT = new Uint8Array(32);
  const SEED = 32;
  const NAMED = 'tournament.player-named.1';
  const COMMITTED = 'tournament.lots-committed.1';
  const GIVEN = 'tournament.lots-seed-given.1';
  const DRAWN = 'tournament.lots-drawn.1';
  const ADDED = 'tournament.match-added.1';
  const RULED = 'tournament.ruled.1';
  const CORRECTED = 'tournament.match-corrected.1';
  const SETTLED = 'tournament.match-settled.1';
  const CHOICE = 'tournament.choice-opened.1';
  const CHOSEN = 'tournament.opponent-chosen.1';
  const CLOSED = 'tournament.closed.1';

  const types = (records) => records.map((record) => record?.event.type);

  // Receipts.

  /** The player who has a receipt for an event; null if nobody has. */
  const receiverOf = (index, { back, audience, event }, chooser) => {
    if (back !== 1 || index < 2 || audience !== PUBLIC) {
      return null;
    }
    const player = event.type === CHOSEN ? chooser : event.player;
    return FORMS.whole(player) ? player : null;
  };

  const sees = (player, { audience, event }) =>
    audience === PUBLIC || (audience === OWN_SEAT && event.seat === player);

  /** Every event with a receipt for one of these players, and what the receipt says of it. */
  const inputs = (match, players, leaves, records) => {
    const told = new Map(players.map((player) => [player, {
      chain: SEEN.begun(match, player), count: 0,
    }]));
    const found = [];
    let [seed, chooser, cause, made] = [null, null, null, null];
    const conclude = () => {
      if (made !== null) {
        found.push({ ...made, chain: told.get(made.player).chain, seedCommitted: seed });
      }
      made = null;
    };
    records.forEach((record, index) => {
      if (record === null) {
        return;
      }
      if (index - record.back !== cause) {
        conclude();
        cause = index - record.back;
      }
      const hashed = MERKLE.hashOf(leaves[index]);
      for (const [player, one] of told) {
        if (sees(player, record)) {
          told.set(player, { chain: SEEN.told(one.chain, hashed), count: one.count + 1 });
        }
      }
      if (record.event.type === COMMITTED) {
        seed = SHA.sha256(record.stored);
      }
      chooser = record.event.type === CHOICE ? record.event.player : chooser;
      const player = receiverOf(index, record, chooser);
      if (told.has(player)) {
        const commitment = LOG.commitment(NO_SALT, record.stored);
        made = { index, at: record.at, player, count: told.get(player).count, commitment };
      }
    });
    conclude();
    return found;
  };

  /** Whether all that a player may see is opened. */
  const isOpen = ({ audience, seat }, player) => audience === 'moderator' || seat === player;

  /** Why a receipt is not for an input; null if it is. */
  const differing = (said, made, { seenKey, manifest }) => {
    const at = RECEIPT_CHECK.rfc3339(made.at);
    const open = isOpen(manifest, made.player);
    const wanted = {
      seat: made.player, ruling: null, phase: null, key: null, received: at, recorded: at,
      status: 'accepted', count: open ? made.count : said.count,
    };
    const other = Object.keys(wanted).find((name) => wanted[name] !== said[name]);
    if (other !== undefined) {
      return `says another ${other}`;
    }
    if (!BYTES.equal(said.commitment, made.commitment)) {
      return 'is for something else';
    }
    if (!RECEIPT_CHECK.same(said.seedCommitted, made.seedCommitted)) {
      return 'names another commitment to lots';
    }
    const judged = open && seenKey !== null;
    const seen = judged ? SEEN.blinded(seenKey, said.nonce, made.chain) : said.seen;
    return BYTES.equal(said.seen, seen) ? null : 'is of another log';
  };

  const checkSaved = (said, made, bundle) => {
    const why = made.map((one) => differing(said, one, bundle));
    if (!why.includes(null)) {
      const [first] = why.filter((_, place) => made[place].player === said.seat);
      wrong(`a receipt that was given besides ${first ?? 'is for something that is not there'}`);
    }
  };

  const receipts = async (given) => {
    const { bundle, records } = given;
    const { manifest, leaves, seenKey } = bundle;
    if (types(records).includes(CLOSED) !== (seenKey !== null)) {
      wrong('the key of what was seen is there exactly when the tournament is closed');
    }
    const players = records.filter((one) => one?.event.type === NAMED)
      .map(({ event: { player } }) => player);
    const made = inputs(manifest.match, [...new Set(players)], leaves, records);
    const due = made.filter(({ player }) => isOpen(manifest, player));
    const own = await RECEIPT_CHECK.allBelieved(bundle.receipts, '', given);
    if (own.length !== due.length) {
      wrong(`there are ${own.length} receipts for ${due.length} events`);
    }
    own.forEach((said, place) => {
      const why = differing(said, due[place], bundle);
      if (why !== null) {
        wrong(`the receipt for event ${due[place].index} ${why}`);
      }
    });
    const notes = given.receipts.map((text) => LOG.readBesides('receipt', text));
    const saved = await RECEIPT_CHECK.allBelieved(notes, ' that was given besides', given);
    saved.forEach((said) => checkSaved(said, made, bundle));
    const unseen = saved.filter(({ seat }) => !(isOpen(manifest, seat) && seenKey !== null)).length
      + (seenKey === null ? own.length : 0);
    return { count: own.length + saved.length, checked: RECEIPT_CHECK.hasKey(given), unseen };
  };

  // Lots.

  /** Throws unless a commitment is the next one, and to the players as they are. */
  const checkCommitted = (index, event, before, roster) => {
    if (roster.some(({ blind }) => blind.length === 0)) {
      return;  // A name is withheld.
    }
    const names = roster.map(({ blind, name }) => CHANCE.saltedName(blind, name));
    const rules = CHANCE.rulesHash({ game: 'tournament', rules_version: 1, options: {} });
    const fits = event.epoch === (before === null ? 0 : before.epoch + 1)
      && event.scheme === CHANCE.SCHEME && BYTES.equal(event.rules_hash, rules)
      && BYTES.equal(event.roster_hash, CHANCE.rosterHash(names));
    if (!fits) {
      wrong(`event ${index} commits to another roster, scheme or epoch`);
    }
  };

  const ascending = (items) => [...items].sort((one, other) => one - other);

  /** Throws unless a draw comes out as its seed gives it, and that is the one committed to. */
  const checkDrawn = (index, { epoch, id, seed, outcome }, match, committed, seeds) => {
    const known = committed !== null && committed.epoch === epoch && seed.length === SEED
      && BYTES.equal(CHANCE.commit(match, epoch, seed), committed.commit);
    if (!known) {
      wrong(`event ${index}: the seed is not the one that was committed to`);
    }
    const fixed = CHANCE.transcript(match, committed, CHANCE.clients(seeds));
    const parts = [{ kind: 'shuffle', items: ascending(outcome) }];
    const [order] = CHANCE.answered(seed, fixed, epoch, { id, parts }).outcome;
    if (order.some((item, place) => item !== outcome[place])) {
      wrong(`event ${index}: the lots come out otherwise`);
    }
  };

  /** How many draws of lots follow from their seeds. */
  const lots = ({ manifest: { match } }, records) => {
    const roster = [];
    let [committed, seeds, drawn] = [null, [], 0];
    records.forEach((record, index) => {
      const event = record?.event;
      switch (event?.type) {
        case NAMED: roster[event.player] = event; break;
        case GIVEN: seeds[event.player] = event.seed; break;
        case COMMITTED:
          checkCommitted(index, event, committed, roster);
          [committed, seeds] = [event, Array(roster.length).fill(null)];
          break;
        case DRAWN:
          checkDrawn(index, event, match, committed, Array.from(seeds, (one) => one ?? null));
          drawn += 1;
          break;
        default:
      }
    });
    return drawn;
  };

  // Matches.

  /** The matches that count, in order. */
  const settled = (records) =>
    records.filter((one) => one?.event.type === SETTLED).map(({ event: { match } }) => match);

  /** Throws unless the matches inside are those that count, and of this tournament. `judged` has
   * what came of each: its report and its records. */
  const checkMatches = ({ manifest, matches }, records, judged) => {
    if (settled(records).join() !== [...matches.keys()].join()) {
      wrong('the matches inside are not those that count');
    }
    for (const [match, { report, records: [first] }] of judged) {
      if (report.finding !== null) {
        wrong(`match ${match}: ${report.finding.claim}: ${report.finding.text}`);
      }
      if (report.match !== match || first.event.tournament !== manifest.match) {
        wrong(`match ${match} is another match, or of another tournament`);
      }
    }
  };

  /** The matches that were added and do not count: they are not over, or their round was withdrawn. */
  const missing = (records) => {
    const counted = settled(records);
    return records.filter((one) => one?.event.type === ADDED).map(({ event: { match } }) => match)
      .filter((match) => !counted.includes(match));
  };

  // Results.

  const ENDED = 'match.ended.1';
  const VOIDED = 'match.voided.1';
  /** What changes whether a match is over. */
  const TURNS = [ENDED, VOIDED, 'match.confirmed.1', 'match.rewound.1'];

  const isOver = ({ type, protests_until: provisional }) =>
    type === VOIDED || type === 'match.confirmed.1' || (type === ENDED && provisional === undefined);

  /** The result of a match by its own events, null if it is void, and whether it is a forfeit. */
  const ending = (match, records) => {
    const last = records.findLast((one) => TURNS.includes(one?.event.type));
    if (last === undefined || !isOver(last.event)) {
      wrong(`match ${match} counts, and it is not over`);
    }
    const end = records.findLastIndex((one) => [ENDED, VOIDED].includes(one?.event.type));
    if (end < 0) {
      wrong(`match ${match} is confirmed, and has no result`);
    }
    const before = records[end - 1]?.event;
    const forfeit = before?.type === 'match.result-ruled.1' && before.because === 'forfeit';
    return { result: records[end].event.result ?? null, forfeit };
  };

  const isSame = (one, other) => LISTING.spelt(one) === LISTING.spelt(other);

  /** How many results count as their matches have them, and how many were corrected by a ruling.
   * `judged` is as above. */
  const results = (records, judged) => {
    let [ruled, counted, corrected] = [null, 0, 0];
    records.forEach((record, index) => {
      const event = record?.event;
      switch (event?.type) {
        case RULED: ruled = event.match; break;
        case SETTLED: {
          const own = ending(event.match, judged.get(event.match).records);
          if (!isSame(own, { result: event.result, forfeit: event.forfeit === true })) {
            wrong(`event ${index} counts another result than match ${event.match} has`);
          }
          counted += 1;
          break;
        }
        case CORRECTED:
          if (event.match !== ruled) {
            wrong(`event ${index} corrects match ${event.match} without a ruling`);
          }
          corrected += 1;
          break;
        default:
      }
    });
    return { counted, corrected };
  };

  return { receipts, lots, checkMatches, missing, results };
})();
