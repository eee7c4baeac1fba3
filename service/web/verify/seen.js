/**
 * What the receivers of receipts have been told: of each a chain of hashes over the leaves of its
 * events. A receipt has it as it was behind the last consequence of its input, blinded.
 */
const SEEN = (() => {
  'use strict';

  const { PUBLIC, OWN_SEAT } = EVENTS;

  const SCHEME = 'arbiter-seen/1';
  const DIRECTOR = 'moderator';
  const SUBMITTED = ['match.action-received.1', 'match.client-seed-given.1'];
  const REFUSED = 'match.draw-refused.1';
  const DIRECTED = 'match.directed.1';
  const ORDERS = [
    'match.started.1', 'match.phase-closed.1', REFUSED,
    'match.key-issued.1', 'match.key-ended.1',
    'match.moderator-key-issued.1', 'match.moderator-key-ended.1',
    'match.ruled.1', 'match.seat-ruled.1', 'match.sealed-ruled.1',
    'match.ruling-proposed.1', 'match.ruling-withdrawn.1',
  ];
  const ASKS = ['match.ruling-proposed.1', 'match.ruling-withdrawn.1'];
  const NAMES_RULING = [
    'match.ruling-ordered.1', 'match.ruling-proposed.1', 'match.ruling-withdrawn.1',
  ];

  const named = (receiver) => (receiver === DIRECTOR ? DIRECTOR : `seat:${receiver}`);
  const begun = (match, receiver) => SHA.sha256(BYTES.lp(SCHEME, match, named(receiver)));
  const told = (chain, hashed) => SHA.sha256(BYTES.lp(SCHEME, chain, hashed));

  /** What a receipt says of a chain, under the key of the match. */
  const blinded = (key, nonce, chain) => SHA.hmac(key, BYTES.lp(nonce, chain));

  /** Whether the event begins a batch: it is an input. */
  const begins = ({ back, event }) => back === 0 || SUBMITTED.includes(event.type);

  /** Whether the event is an input right behind which stands who gave it. */
  const isOrder = ({ back, event }) => {
    switch (back === 0 ? event.type : undefined) {
      case 'match.draw-settled.1':
      case 'match.sealed-draw-settled.1': return event.by === 'manual';
      case 'match.case-opened.1': return event.by_seat === false;
      case 'match.case-closed.1': return event.ruling === null;
      case undefined: return false;
      default: return ORDERS.includes(event.type);
    }
  };

  const directs = ({ back, event }) => back === 1 && event.type === DIRECTED;

  /** Whether who stands right behind an order may have given it: a seat only asks for rulings. */
  const mayDirect = (record, order) => directs(record)
    && (record.event.giver === undefined || ASKS.includes(order.type));

  /** The index of the first order behind which nobody is named, -1 if there is none; what cannot be
   * read may name somebody. */
  const undirected = (records) => records.findIndex((record, index) => {
    const behind = records[index + 1];
    return record !== null && isOrder(record) && behind !== null
      && (behind === undefined || !mayDirect(behind, record.event));
  });

  /** Whether the match is over with this event. */
  const makesOver = ({ event: { type, protests_until: until } }) =>
    ['match.confirmed.1', 'match.voided.1'].includes(type)
    || (type === 'match.ended.1' && until === undefined);

  /** An input and what is known of it so far; its `receiver` is null if it has no receipt. */
  const batchOf = (cause, record, count) => {
    const { at, event } = record;
    const seat = SUBMITTED.includes(event.type) ? event.seat : null;
    const status = event.type === REFUSED ? `refused ${event.code}` : 'accepted';
    const ruling = NAMES_RULING.includes(event.type) ? event.id : null;
    return { cause, at, count, receiver: seat, status, ruling };
  };

  /**
   * What these receivers had been told, by the index of the input for which they have a receipt,
   * and what was ordered, by index; `records` has null for what cannot be read.
   */
  const fold = (match, receivers, leaves, records) => {
    const chains = new Map(receivers.map((receiver) => [receiver, begun(match, receiver)]));
    const [seen, orders] = [new Map(), new Map()];
    let [batch, count] = [{ cause: null, receiver: null }, 0];
    const conclude = () => {
      if (chains.has(batch.receiver)) {
        seen.set(batch.cause, chains.get(batch.receiver));
      }
      if (batch.receiver === DIRECTOR) {
        orders.set(batch.cause, batch);
      }
    };
    records.forEach((record, index) => {
      if (record === null) {
        return;
      }
      const { audience, event, back } = record;
      const cause = begins(record) ? index : index - back;
      if (cause !== batch.cause) {
        conclude();
        batch = { cause, receiver: null };
      }
      const hashed = MERKLE.hashOf(leaves[index]);
      for (const [receiver, chain] of chains) {
        const own = audience === OWN_SEAT && event.seat === receiver;
        if (audience === PUBLIC || own || receiver === DIRECTOR) {
          chains.set(receiver, told(chain, hashed));
        }
      }
      count += Number(audience === PUBLIC);
      if (begins(record)) {
        batch = batchOf(cause, record, count);
      } else if (directs(record) && batch.at !== undefined && batch.receiver === null) {
        // What a seat asks for has no receipt: it binds what all seats are told of it.
        batch.receiver = event.giver === undefined ? DIRECTOR : null;
      } else if (event.type === 'match.ruling-ordered.1') {
        batch.ruling = event.id;
      }
    });
    conclude();
    return { seen, orders };
  };

  return {
    DIRECTOR, begun, told, begins, blinded, isOrder, makesOver, undirected, fold,
  };
})();
