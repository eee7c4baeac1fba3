/** What follows from an input of the game itself: the rules decide, and the match says for whom it
 * waits. */
const PLAY = (() => {
  'use strict';

  const { NOBODY } = STATE;
  const { NotGiven, refuse, must } = COMMANDS;

  const SECOND = 1_000_000;
  const HOUR = 3600 * SECOND;
  const DAY = 24 * HOUR;

  // Time: rules name a deadline, the match says when it is due.

  /** The instant, in microseconds, at which a wait begun at `since` is over. */
  const overAt = (wait, since) => {
    if (Object.hasOwn(wait, 'seconds')) {
      return since + wait.seconds * SECOND;
    }
    const earliest = since + wait.hours * HOUR;
    const [hours, minutes] = wait.utc.split(':').map(Number);
    const midnight = Math.floor(earliest / DAY) * DAY;
    const at = midnight + hours * HOUR + minutes * 60 * SECOND;
    return at >= earliest ? at : at + DAY;
  };

  /** The same for a wait begun `now` that is counted from an earlier instant, that of a deadline
   * before it was moved. What would be over before it began is counted from now. */
  const dueAfter = (wait, countedFrom, now) => {
    const at = overAt(wait, countedFrom);
    return at > now ? at : overAt(wait, now);
  };

  /** The instant at which a wait of the rules that begins now is over; null if no clock runs. */
  const dueOf = ({ created }, { deadline }, countedFrom, now) => {
    const runs = created.clock === 'rules' && (deadline?.wait ?? null) !== null;
    return runs ? dueAfter(deadline.wait, countedFrom, now) : null;
  };

  // Inputs.

  const checkRunning = (match) => {
    if (match.status !== 'running') {
      refuse('match_not_running');
    }
  };

  /** What the rules say to an action: events, or the code by which it does not count. Throws
   * NotGiven for what is no action of the game. */
  const answer = (match, { seat, action }) => {
    try {
      return { decided: match.game.decide(match.state, seat, action) };
    } catch (thrown) {
      if (thrown instanceof TypeError) {
        throw new NotGiven('no action of this game');
      }
      if (typeof thrown.refused !== 'string' && typeof thrown.invalid !== 'string') {
        throw thrown;
      }
      return thrown;
    }
  };

  /** The event that answers a draw, for the draw's own audience. */
  const drawSettled = ({ id, audience }, outcome, by, keyCommit = null) => ({
    type: audience === EVENTS.PUBLIC ? 'match.draw-settled.1' : 'match.sealed-draw-settled.1',
    id,
    outcome,
    by,
    key_commit: keyCommit,
  });

  /** What follows from the outcome of the draw that is awaited. */
  const settled = (match, causes, outcome, at) => {
    const { draw } = match.game.awaits(match.state);
    return follow(match, causes, match.game.settle(match.state, draw, outcome), { at });
  };

  /** What follows from the end of the open phase. */
  const expired = (match, cause, at) => {
    const { deadline } = match.game.awaits(match.state);
    must(deadline !== null && deadline.id === match.awaiting.phase);
    return follow(match, [cause], match.game.expire(match.state, deadline), { at, spent: true });
  };

  /** The input, what the game decides on it, and then whom the match waits for. `spent`: the
   * deadline in force is over, so one with the same id is a new one. */
  const follow = (match, causes, decided, { at, spent = false }) => {
    const state = decided.reduce((now, event) => match.game.evolve(now, event), match.state);
    const events = [...causes, ...decided];
    const result = match.game.result(state);
    if (result !== null) {
      return [...events, PROTESTS.ended(match, result, at)];
    }
    const moved = causes[0].type === 'match.deadline-passed.1' ? match.countedFrom : null;
    const times = { countedFrom: moved ?? at, now: at };
    const kept = spent ? null : match.awaiting.phase;
    return [...events, ...asked(match, STATE.awaits({ ...match, state }), times, kept)];
  };

  /** What announces that the match waits: a sealed draw, and then whom or what it waits for, where
   * that is new. `kept` is the phase that goes on. */
  const asked = (match, awaits, times, kept) => {
    const { draw } = awaits;
    const hidden = draw !== null && draw.audience !== EVENTS.PUBLIC && draw.id !== match.asked;
    const awaiting = announced(match, awaits, times, kept);
    const same = BYTES.equal(MSGPACK.encode(awaiting), MSGPACK.encode(match.awaiting));
    return [
      ...(hidden ? [{ type: 'match.draw-asked.1', id: draw.id, parts: draw.parts }] : []),
      ...(same ? [] : [awaiting]),
    ];
  };

  /** A draw as the public may see it: a sealed one without id and parts. */
  const shown = (draw) => {
    if (draw === null) {
      return null;
    }
    const open = draw.audience === EVENTS.PUBLIC;
    return open ? { id: draw.id, parts: draw.parts } : { id: null, parts: null };
  };

  /** While a match is paused no deadline is in force. */
  const announced = (match, awaits, { countedFrom, now }, kept) => {
    const { seats, draw, deadline } = awaits;
    const awaiting = { ...NOBODY, seats, draw: shown(draw) };
    if (deadline === null) {
      return awaiting;
    }
    if (deadline.id === kept) {
      return { ...awaiting, phase: deadline.id, deadline: match.awaiting.deadline };
    }
    const due = match.status === 'paused' ? null : dueOf(match, awaits, countedFrom, now);
    return { ...awaiting, phase: deadline.id, deadline: due };
  };

  return { dueOf, checkRunning, answer, drawSettled, settled, expired, follow, asked };
})();
