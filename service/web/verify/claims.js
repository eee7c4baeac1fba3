/**
 * The verifier: the claims about a bundle, in the order in which one rests on another. Those about
 * its evidence pass, fail or are sealed. Whether what is recorded follows from the rules, of a game
 * or of tournaments, is not judged: the rules stand elsewhere. It needs a bundle and public keys,
 * and nothing else.
 */
const CLAIMS = (() => {
  'use strict';

  const { Wrong, wrong } = LOG;
  const { Malformed } = BYTES;

  /** What judges the rules. */
  const COMMAND = 'arbiter verify FILE --key KEYS';

  const pass = (text) => ({ status: 'PASS', text });
  const sealed = (text) => ({ status: 'SEALED', text });
  const notJudged = (text) => ({ status: 'NOT JUDGED', text: `${text}: ${COMMAND}` });

  const several = (count, what, many = `${what}s`) => `${count} ${count === 1 ? what : many}`;

  // The claims: each says how it stands with what is given, or throws Wrong.

  const container = async (given) => {
    try {
      given.bundle = BUNDLE.read(given.bytes);
    } catch (error) {
      if (error instanceof Malformed) {
        wrong(error.message);
      }
      throw error;
    }
    return pass(`a bundle of ${several(given.bundle.leaves.length, 'event')}`);
  };

  const signatures = async (given) => {
    await LOG.signatures(given);
    return pass('manifest and checkpoint are signed');
  };

  const log = async (given) => {
    LOG.root(given);
    const { length } = given.bundle.leaves;
    return pass(`the log of ${several(length, 'event')} is that of the signed checkpoint`);
  };

  const checkpoints = async (given) => {
    const count = await LOG.earlier(given);
    return pass(count === 0
      ? 'no earlier checkpoints were given'
      : `${several(count, 'earlier checkpoint')}: the log begins with what was signed then`);
  };

  const openings = async (given) => {
    given.records = LOG.openings(given.bundle);
    const { length } = given.records;
    const hidden = sealedOf(given);
    const withheld = given.records.filter((record) => record?.withheld).length;
    if (withheld > 0) {
      return sealed(`name withheld: ${several(withheld, 'event')} without it; `
        + `${hidden} of ${several(length, 'event')} cannot be read`);
    }
    return hidden === 0
      ? pass('every event is opened, and is what the log commits to')
      : sealed(`${hidden} of ${several(length, 'event')} cannot be read`);
  };

  const receipts = async (given) => receiptsSaid(await RECEIPT_CHECK.receipts(given));

  const playersReceipts = async (given) => receiptsSaid(await TOURNAMENT.receipts(given));

  const receiptsSaid = ({ count, checked, unseen }) => {
    if (count === 0) {
      return pass('there are none in the bundle, and none were given');
    }
    if (!checked) {
      return sealed('no key of receipts was given: they are not judged');
    }
    const honoured = `${several(count, 'receipt')} honoured`;
    return unseen === 0 ? pass(honoured) : sealed(
      `${honoured}, of ${unseen} it cannot be shown what their receivers had been told`,
    );
  };

  const chance = async ({ bundle, records }) => {
    const { manual, drawn, open } = SEEDS.check(bundle, records);
    if (manual) {
      return { status: 'MANUAL', text: 'draws were entered by hand: nothing derives them' };
    }
    const done = `${several(drawn, 'draw')} derived once more from the seed`;
    return open === null ? pass(done) : sealed(`${done}; ${open}`);
  };

  const rules = async () => notJudged('not judged here');

  const ENDS = ['match.ended.1', 'match.voided.1'];

  /** The names at the seats, as the record says them last. */
  const namesOf = (records) => {
    const names = [];
    records.forEach((record) => {
      if (record?.event.type === 'match.seat-named.1') {
        names[record.event.seat] = record.event.name;
      }
    });
    return names;
  };

  /** What the record says of an end, whether or not anything has undone it. */
  const lastEnd = (records) => {
    const end = records.findLast((record) => ENDS.includes(record?.event.type));
    if (end === undefined) {
      return 'no end on record';
    }
    if (end.event.type === 'match.voided.1') {
      return 'the last end on record: void';
    }
    const { winners, shared, scores } = end.event.result;
    const names = namesOf(records);
    const named = (seat) => names[seat] ?? `player ${seat + 1}`;
    const won = `won by ${winners.map(named).join(', ') || 'nobody'}${shared ? ' (shared)' : ''}`;
    return `the last end on record: ${won}; scores ${scores.map((score, seat) => `${named(seat)} ${score}`).join(', ')}`;
  };

  const result = async ({ records }) => notJudged(`${lastEnd(records)}; not judged here`);

  // Of a tournament.

  const matches = async (given) => {
    const judged = new Map();
    for (const [match, bytes] of given.bundle.matches) {
      judged.set(match, await judgeWith(bytes, given.keys, {}));
    }
    TOURNAMENT.checkMatches(given.bundle, given.records, judged);
    given.inside = judged;
    const said = `the evidence of ${several(judged.size, 'match', 'matches')} holds`;
    const missing = TOURNAMENT.missing(given.records);
    const besides = missing.length === 0
      ? '' : `; not inside, as they do not count (yet): ${missing.join(', ')}`;
    const closed = sealedInside(given);
    return closed === 0
      ? pass(said + besides) : sealed(`${said}, of ${closed} as far as it is open${besides}`);
  };

  /** Of how many matches inside not everything is open. */
  const sealedInside = ({ inside }) =>
    [...inside.values()].filter(({ report: { verdict } }) => verdict !== 'HOLDS').length;

  const results = async (given) => {
    const { counted, corrected } = TOURNAMENT.results(given.records, given.inside);
    const said = `${several(counted, 'result is that of its match', 'results are those of their matches')}, `
      + `${several(corrected, 'was', 'were')} corrected`;
    const closed = sealedInside(given);
    return closed === 0 ? pass(said) : sealed(`${said}; of ${closed} it is sealed how they came about`);
  };

  const lots = async ({ bundle, records }) =>
    pass(`${several(TOURNAMENT.lots(bundle, records), 'draw')} of lots derived once more`);

  const left = async () => notJudged('not judged here');

  const EVIDENCE = { container, signatures, log, checkpoints, openings };
  /** The claims of each kind of bundle, in order. */
  const ORDERS = {
    match: { ...EVIDENCE, receipts, chance, rules, result },
    tournament: {
      ...EVIDENCE,
      receipts: playersReceipts,
      matches,
      results,
      lots,
      pairings: left,
      standings: left,
      postings: left,
      rules: left,
    },
  };

  /** The claims of a bundle, as far as it could be read. */
  const orderOf = ({ bundle }) => ORDERS[bundle?.manifest.kind ?? 'match'];

  // The report.

  /** How many events are not opened; null if that is not known. */
  const sealedOf = ({ bundle, records }) => {
    if (bundle === undefined) {
      return null;
    }
    const hidden = bundle.leaves.filter(({ commitment }) => commitment !== null).length;
    return records === undefined
      ? hidden - bundle.openings.filter(({ n }) => bundle.leaves[n]?.commitment).length
      : records.filter((record) => record === null).length;
  };

  /** Of the evidence alone: it is no pass, as the rules were not judged. */
  const verdictOf = (claims) => {
    const has = (status) => claims.some((claim) => claim.status === status);
    if (has('FAIL')) {
      return 'FAIL';
    }
    return has('SEALED') ? 'SEALED' : 'HOLDS';
  };

  /** What the verdict says of the match: the end of a text's name. */
  const meaning = (verdict, claims) => {
    const byHand = claims.some(({ status }) => status === 'MANUAL');
    return verdict === 'HOLDS' && byHand ? 'MANUAL' : verdict;
  };

  const reported = (claims, given) => {
    const last = claims.at(-1);
    const verdict = verdictOf(claims);
    const { kind, match, audience, game, rulesVersion } = given.bundle?.manifest ?? {};
    return {
      verdict,
      means: meaning(verdict, claims),
      finding: last.status === 'FAIL' ? { claim: last.claim, text: last.text } : null,
      claims,
      kind: kind ?? 'match',
      match: match ?? null,
      audience: audience ?? null,
      game: game ?? null,
      rulesVersion: rulesVersion ?? null,
      size: given.bundle?.leaves.length ?? null,
      sealed: sealedOf(given),
    };
  };

  const judgedClaim = async (claim, given) => {
    try {
      return { claim, ...await orderOf(given)[claim](given) };
    } catch (error) {
      if (error instanceof NOTES.Unable) {
        throw error;
      }
      // A log that nobody can judge proves nothing.
      const text = error instanceof Wrong ? error.message : `it cannot be judged: ${error}`;
      return { claim, status: 'FAIL', text };
    }
  };

  /**
   * What comes of a bundle, and the records that can be read of it (null where one is sealed).
   * `keys` are verifier keys as text; `checkpoints` and `receipts` notes saved
   * earlier; `onClaim` gets each claim that has been judged, and is awaited. Throws
   * Malformed for what is no key.
   */
  const judge = async (bytes, keys, { onClaim, ...notes } = {}) => {
    return judgeWith(bytes, await NOTES.keyring(keys), notes, onClaim);
  };

  /** The same with keys that are ready to check with. */
  const judgeWith = async (bytes, keys, notes, onClaim) => {
    const given = { bytes, keys, checkpoints: [], receipts: [], ...notes };
    const claims = [await judgedClaim('container', given)];
    await onClaim?.(claims[0], orderOf(given));
    for (const name of Object.keys(orderOf(given)).slice(1)) {
      if (claims.at(-1).status === 'FAIL') {
        break;
      }
      claims.push(await judgedClaim(name, given));
      await onClaim?.(claims.at(-1), orderOf(given));
    }
    return { report: reported(claims, given), records: given.records ?? [] };
  };

  /** What comes of a bundle: the report alone. */
  const verify = async (bytes, keys, besides) => (await judge(bytes, keys, besides)).report;

  /** The names of the claims of a kind of bundle. */
  const names = (kind) => Object.keys(ORDERS[kind]);

  return { names, COMMAND, judge, verify };
})();
