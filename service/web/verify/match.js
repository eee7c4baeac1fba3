/** A match of any game, around the rules of one: what each input gives. */
const MATCH = (() => {
  'use strict';

  const { seatsOf, awaitedDraw } = STATE;
  const { refuse, must } = COMMANDS;
  const { checkRunning, answer, drawSettled, settled, expired, follow } = PLAY;

  // What follows from each command; `event` is the one that it stands on the record as.

  const commitSeed = (match, { event }) => {
    const before = match.epoch === null ? -1 : match.epoch.committed.epoch;
    must(match.created.chance === 'server' && event.epoch === before + 1);
    must(match.status === (before < 0 ? 'created' : 'paused'));
    return [event];
  };

  const tellSalt = (match, { event }) => {
    must(match.epoch !== null && match.epoch.committed.epoch === 0);
    must(match.epoch.salted === event.seat);
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
    must(STATE.isOver(match));
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
    const [started, ...rest] = follow(begun, [event], decided, { at });
    return [started, ...PAUSES.sealing(match), ...rest];
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
    return follow(match, [event], said.decided, { at });
  };

  const settleDraw = (match, { outcome, keyCommit }, at) => {
    const draw = awaitedDraw(match);
    must(draw !== null && CHANCE.fits(draw.parts, outcome));
    return settled(match, [drawSettled(draw, outcome, 'server', keyCommit)], outcome, at);
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
    return settled(match, [drawSettled(draw, outcome, 'manual')], outcome, at);
  };

  const passDeadline = (match, command, at) => {
    if (match.awaiting.deadline === null || at < match.awaiting.deadline) {
      refuse('nothing_to_close');
    }
    return ended(match, 'match.deadline-passed.1', at);
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
    return ended(match, 'match.phase-closed.1', at);
  };

  const ended = (match, type, at) => expired(match, { type, phase: match.awaiting.phase }, at);

  const pause = (match, command, at) => PAUSES.paused(match, at);
  const resume = (match, command, at) => PAUSES.resumed(match, at);

  /** A key was issued or ended: each once, and not when the match is over. */
  const issueKey = (match, { event }) => {
    const recorded = onRecord(match, match.keys.issued, event);
    const pending = match.rulings.pending.filter(({ ruling }) => ruling.kind === 'replace_seat');
    const names = [...RULINGS.namesOf(match), ...pending.map(({ ruling }) => [null, ruling.name])];
    const name = event.name ?? null;
    if (name !== null && names.some(([, own]) => PEOPLE.named(own) === PEOPLE.named(name))) {
      refuse('moderator_plays');
    }
    return recorded;
  };

  const endKey = (match, { event }) => onRecord(match, match.keys.ended, event);

  const onRecord = (match, ids, event) => {
    if (STATE.isOver(match)) {
      refuse('match_over');
    }
    if (ids.includes(event.key_id)) {
      refuse('key_on_record');
    }
    return [event];
  };

  const DECIDERS = {
    commitSeed, tellSalt, giveClientSeed, revealSeed, start, act, settleDraw, enterDraw,
    passDeadline, moveDeadline,
    endProtests: PROTESTS.endProtests,
    closePhase, issueKey, endKey, pause, resume,
    ...MATCH_CASES.DECIDERS,
    ...RULINGS.DECIDERS,
  };

  /** The events that a command, received at `at`, gives; the input itself first. Throws Conflict,
   * or NotGiven for what cannot have been asked. */
  const decide = (match, command, at) => DECIDERS[command.kind](match, command, at);

  return { decide };
})();
