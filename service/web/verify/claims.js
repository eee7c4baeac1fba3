/**
 * The verifier: nine claims about a bundle, each passed, failed or sealed, in the order in which
 * one rests on another. It needs a bundle and public keys, and nothing else.
 */
const CLAIMS = (() => {
  'use strict';

  const { Wrong, wrong } = LOG;
  const { Malformed } = BYTES;

  const UNKNOWN = 'rules unknown here: not judged again';

  const pass = (text) => ({ status: 'PASS', text });
  const sealed = (text) => ({ status: 'SEALED', text });

  const several = (count, what) => `${count} ${what}${count === 1 ? '' : 's'}`;

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
    return hidden === 0
      ? pass('every event is opened, and is what the log commits to')
      : sealed(`${hidden} of ${several(length, 'event')} cannot be read`);
  };

  const receipts = async (given) => {
    const count = await RECEIPT_CHECK.receipts(given);
    return count === null
      ? sealed('no key of receipts was given: they are not judged')
      : pass(`${several(count, 'receipt')} honoured`);
  };

  const chance = async ({ bundle, records }) => {
    const { manual, drawn, open } = SEEDS.check(bundle, records);
    if (manual) {
      return { status: 'MANUAL', text: 'draws were entered by hand: nothing derives them' };
    }
    const done = `${several(drawn, 'draw')} derived once more from the seed`;
    return open === null ? pass(done) : sealed(`${done}; ${open}`);
  };

  const rules = async (given) => {
    const { bundle: { manifest }, records } = given;
    checkBelonging(manifest, records);
    if (isUnknown(given)) {
      return sealed(UNKNOWN);
    }
    if (records.includes(null)) {
      checkRewinds(records);
      return sealed('the match cannot be judged again unless everything is opened');
    }
    given.judged = judgedAgain(manifest.match, records);
    return pass('judged again, what came in gives what is recorded');
  };

  /** Whether the rules of the match are not here. */
  const isUnknown = ({ records }) => REJUDGE.rulesOf(records[0].event) === undefined;

  /** Every event bears the name of its game, also where not everything is opened. */
  const checkBelonging = ({ game }, records) => {
    const foreign = records.findIndex((record) => (
      record !== null && !EVENTS.belongs(record.event, game)
    ));
    if (foreign >= 0) {
      wrong(`event ${foreign} is of another game: ${records[foreign].event.type}`);
    }
  };

  /** All public events, with their positions. */
  const publicOf = (records) => records.flatMap((record, index) => (
    record?.audience === EVENTS.PUBLIC ? [[index + 1, record.event]] : []
  ));

  /** Every rewind is where it can be, by the public events alone. */
  const checkRewinds = (records) => {
    const open = publicOf(records);
    let branch = 0;
    open.forEach(([position, event], place) => {
      if (event.type !== 'match.rewound.1') {
        return;
      }
      branch += 1;
      const [ruled, paused] = [open[place - 1][1], open[place + 1]?.[1]];
      const stands = ruled.type === 'match.ruled.1' && ruled.kind === 'rewind';
      if (!stands || paused?.type !== 'match.paused.1') {
        wrong(`event ${position - 1} is no rewind by a ruling`);
      }
      if (event.branch !== branch || event.before >= position) {
        wrong(`event ${position - 1} rewinds the match to where it cannot go on`);
      }
    });
  };

  const judgedAgain = (match, records) => {
    try {
      return REJUDGE.judged(match, records);
    } catch (error) {
      return wrong(error instanceof REJUDGE.Differs
        ? error.message
        : `the rules fail on this record: ${error}`);
    }
  };

  const named = (seats) => (seats.length === 0 ? 'nobody' : `seat ${seats.join(', ')}`);

  const result = async (given) => {
    const found = ENDING.of(given.records);
    if (found === null) {
      return sealed('the match is not over');
    }
    if (found.event.type === ENDING.VOIDED) {
      return isUnknown(given) ? sealed(UNKNOWN)
        : pass('the match is void, by a ruling: there is no result');
    }
    const claim = judgedResult(given, found.event.result, found.before);
    return found.over ? claim : sealed(`provisional: ${claim.text}`);
  };

  const judgedResult = (given, recorded, before) => {
    const { judged } = given;
    const ruled = before?.type === 'match.result-ruled.1';
    const shared = recorded.shared ? ' (shared)' : '';
    const won = `won by ${named(recorded.winners)}${shared}; scores ${recorded.scores.join(', ')}`;
    if (isUnknown(given)) {
      return sealed(`${UNKNOWN}; recorded: ${won}`);
    }
    if (judged) {
      return same(judged.result, recorded) ? pass(ruled ? `${won}, by a ruling` : won)
        : wrong('the rules give another result than the recorded one');
    }
    if (ruled) {
      return same(before.result, recorded) ? pass(`${won}, as it was ruled in public`)
        : wrong('another result was ruled than the recorded one');
    }
    return byPublicEvents(given, recorded, won);
  };

  const same = (one, other) => JSON.stringify(one) === JSON.stringify(other);

  /** The result where not everything is opened: judged only if the public events give it. */
  const byPublicEvents = ({ bundle: { manifest }, records }, recorded, won) => {
    if (!REJUDGE.rulesOf(records[0].event).publicResult) {
      return sealed(`it follows from sealed events: not judged; recorded: ${won}`);
    }
    if (!same(REJUDGE.publicResult(manifest.match, publicOf(records)), recorded)) {
      wrong('the public events give another result than the recorded one');
    }
    return pass(`${won}, as the public events give it`);
  };

  const ORDER = {
    container, signatures, log, checkpoints, openings, receipts, chance, rules, result,
  };

  // The report.

  /** How many events are not opened; null if that is not known. */
  const sealedOf = ({ bundle, records }) => {
    if (bundle === undefined) {
      return null;
    }
    const hidden = bundle.leaves.filter(({ commitment }) => commitment !== null).length;
    return records === undefined
      ? hidden - bundle.openings.length
      : records.filter((record) => record === null).length;
  };

  const verdictOf = (claims) => {
    const has = (status) => claims.some((claim) => claim.status === status);
    if (has('FAIL')) {
      return 'FAIL';
    }
    return has('SEALED') ? 'SEALED' : 'PASS';
  };

  const reported = (claims, given) => {
    const last = claims.at(-1);
    const { match, audience, game, rulesVersion } = given.bundle?.manifest ?? {};
    return {
      verdict: verdictOf(claims),
      finding: last.status === 'FAIL' ? { claim: last.claim, text: last.text } : null,
      claims,
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
      return { claim, ...await ORDER[claim](given) };
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
    const ring = await NOTES.keyring(keys);
    const given = { bytes, keys: ring, checkpoints: [], receipts: [], ...notes };
    const claims = [];
    for (const name of Object.keys(ORDER)) {
      claims.push(await judgedClaim(name, given));
      await onClaim?.(claims.at(-1));
      if (claims.at(-1).status === 'FAIL') {
        break;
      }
    }
    return { report: reported(claims, given), records: given.records ?? [] };
  };

  /** What comes of a bundle: the report alone. */
  const verify = async (bytes, keys, besides) => (await judge(bytes, keys, besides)).report;

  return { NAMES: Object.keys(ORDER), judge, verify };
})();
