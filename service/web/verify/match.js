/** A match of any game, around the rules of one: what each input gives. */
const MATCH = (() => {
  'use strict';

  const { NOBODY, seatsOf, awaitedDraw } = STATE;
  const { NotGiven, refuse, must } = COMMANDS;

  const SECOND = 1_000_000;
  const HOUR = 3600 * SECOND;
  const DAY = 24 * HOUR;

  // Time: rules name a deadline, the match says when it is due.

  /** The instant, in microseconds, at which a wait begun at `since` is over. */
  const due = (wait, since) => {
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
    const at = due(wait, countedFrom);
    return at > now ? at : due(wait, now);
  };

  // What follows from a command.

  const checkRunning = (match) => {
    if (match.status !== 'running') {
      refuse('match_not_running');
    }
  };

  // What follows from each command; `event` is the one that it stands on the record as.

  const commitSeed = (match, { event }) => {
    const before = match.epoch === null ? -1 : match.epoch.committed.epoch;
    must(match.created.chance === 'server' && event.epoch === before + 1);
    must(match.status === (before < 0 ? 'created' : 'paused'));
    return [event];
  };

  const tellSalt = (match, { event }) => {
    must(match.epoch !== null && match.epoch.salted === event.seat);
    return [event];
  };

  const giveClientSeed = (match, { event }) => {
    if (match.created.chance === 'manual') {
      refuse('chance_is_manual');
    }
    if (match.epoch === null || match.epoch.transcript !== null) {
      refuse('seed_sealed');
    }
    const { length } = BYTES.utf8(event.seed);
    must(length > 0 && length <= 64);
    return [event];
  };

  const revealSeed = (match, { event: { epoch, seed } }) => {
    must(RULINGS.isOver(match));
    const hidden = match.created.record === 'closed' && match.game.hidesDraws;
    const type = hidden ? 'match.sealed-seed-revealed.1' : 'match.seed-revealed.1';
    return [{ type, epoch, seed }];
  };

  const start = (match, { event }, at) => {
    if (match.status !== 'created') {
      refuse('already_started');
    }
    const begun = { ...match, state: match.game.initial(match.options, seatsOf(match)) };
    const decided = match.game.open(match.options, seatsOf(match));
    const [started, ...rest] = follow(begun, event, decided, at);
    return [started, ...PAUSES.sealing(match), ...rest];
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

  const act = (match, { event, refused }, at) => {
    checkRunning(match);
    const { seat } = event;
    const asked = answer(match, event);
    const said = refused === null ? asked : { refused };
    if (said.invalid !== undefined) {
      return [event, { type: 'match.submission-invalid.1', seat, code: said.invalid }];
    }
    if (said.refused !== undefined) {
      return [event, { type: 'match.action-refused.1', seat, code: said.refused }];
    }
    return follow(match, event, said.decided, at);
  };

  const settleDraw = (match, { outcome, keyCommit }, at) => {
    const draw = awaitedDraw(match);
    must(draw !== null && CHANCE.fits(draw.parts, outcome));
    return settled(match, draw, outcome, keyCommit, at);
  };

  const enterDraw = (match, { id, outcome }, at) => {
    checkRunning(match);
    if (match.created.chance !== 'manual') {
      refuse('chance_is_server');
    }
    const draw = awaitedDraw(match);
    if (draw === null || draw.id !== id) {
      refuse('no_draw_awaited');
    }
    if (!CHANCE.fits(draw.parts, outcome)) {
      return [{ type: 'match.draw-refused.1', id, outcome, code: 'outcome_does_not_fit' }];
    }
    return settled(match, draw, outcome, null, at);
  };

  const settled = (match, draw, outcome, keyCommit, at) => {
    const type = draw.audience === EVENTS.PUBLIC
      ? 'match.draw-settled.1' : 'match.sealed-draw-settled.1';
    const by = match.created.chance;
    const input = { type, id: draw.id, outcome, by, key_commit: keyCommit };
    return follow(match, input, match.game.settle(match.state, draw, outcome), at);
  };

  const passDeadline = (match, command, at) => {
    if (match.awaiting.deadline === null || at < match.awaiting.deadline) {
      refuse('nothing_to_close');
    }
    return expired(match, 'match.deadline-passed.1', at);
  };

  const moveDeadline = (match, { event: { type, from, to } }, at) => {
    const { phase, deadline: before } = match.awaiting;
    must([from, to].every(Number.isSafeInteger) && phase !== null && before !== null);
    must(from < before && from < to && to === at);
    const deadline = before + to - from;
    const moved = { type, phase, deadline, because: 'absence', from, to };
    return [moved, { ...match.awaiting, deadline }];
  };

  const closePhase = (match, { phase }, at) => {
    checkRunning(match);
    if (match.awaiting.phase === null || match.awaiting.phase !== phase) {
      refuse('nothing_to_close');
    }
    return expired(match, 'match.phase-closed.1', at);
  };

  const expired = (match, type, at) => {
    const { deadline } = match.game.awaits(match.state);
    must(deadline !== null && deadline.id === match.awaiting.phase);
    const decided = match.game.expire(match.state, deadline);
    return follow(match, { type, phase: deadline.id }, decided, at, true);
  };

  const pause = (match, command, at) => PAUSES.paused(match, at);
  const resume = (match, command, at) => PAUSES.resumed(match, at);

  /** A key was issued or ended: each once, and not when the match is over. */
  const issueKey = (match, { event }) => onRecord(match, match.keys.issued, event);
  const endKey = (match, { event }) => onRecord(match, match.keys.ended, event);

  const onRecord = (match, ids, event) => {
    if (match.status === 'ended') {
      refuse('match_over');
    }
    if (ids.includes(event.key_id)) {
      refuse('key_on_record');
    }
    return [event];
  };

  /** The input, what the game decides on it, and then whom the match waits for. `spent`: the
   * deadline in force is over, so one with the same id is a new one. */
  const follow = (match, input, decided, at, spent = false) => {
    const state = decided.reduce((now, event) => match.game.evolve(now, event), match.state);
    const events = [input, ...decided];
    const result = match.game.result(state);
    if (result !== null) {
      return [...events, { type: 'match.ended.1', result }];
    }
    const awaits = match.game.awaits(state);
    const { draw } = awaits;
    if (draw !== null && draw.audience !== EVENTS.PUBLIC && draw.id !== match.asked) {
      events.push({ type: 'match.draw-asked.1', id: draw.id, parts: draw.parts });
    }
    const moved = input.type === 'match.deadline-passed.1' ? match.countedFrom : null;
    const times = { countedFrom: moved ?? at, now: at };
    const awaiting = announced(match, awaits, times, spent ? null : match.awaiting.phase);
    const same = BYTES.equal(MSGPACK.encode(awaiting), MSGPACK.encode(match.awaiting));
    return same ? events : [...events, awaiting];
  };

  /** A draw as the public may see it: a sealed one without id and parts. */
  const shown = (draw) => {
    if (draw === null) {
      return null;
    }
    const open = draw.audience === EVENTS.PUBLIC;
    return open ? { id: draw.id, parts: draw.parts } : { id: null, parts: null };
  };

  const announced = (match, { seats, draw, deadline }, { countedFrom, now }, kept) => {
    const awaiting = { ...NOBODY, seats, draw: shown(draw) };
    if (deadline === null) {
      return awaiting;
    }
    if (deadline.id === kept) {
      return { ...awaiting, phase: deadline.id, deadline: match.awaiting.deadline };
    }
    const runs = match.created.clock === 'rules' && deadline.wait !== null;
    const instant = runs ? dueAfter(deadline.wait, countedFrom, now) : null;
    return { ...awaiting, phase: deadline.id, deadline: instant };
  };

  const DECIDERS = {
    commitSeed, tellSalt, giveClientSeed, revealSeed, start, act, settleDraw, enterDraw,
    passDeadline, moveDeadline,
    closePhase, issueKey, endKey, pause, resume,
    ...RULINGS.DECIDERS,
  };

  /** The events that a command, received at `at`, gives; the input itself first. Throws Conflict,
   * or NotGiven for what cannot have been asked. */
  const decide = (match, command, at) => DECIDERS[command.kind](match, command, at);

  return { decide };
})();
