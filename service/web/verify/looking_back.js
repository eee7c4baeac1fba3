/** What a rewind looks back on: the match where it goes on, and the inputs since then. */
const LOOKING_BACK = (() => {
  'use strict';

  const { refuse } = COMMANDS;

  const SETTLED = ['match.draw-settled.1', 'match.sealed-draw-settled.1'];
  const TURNED_DOWN = ['match.action-refused.1', 'match.submission-invalid.1'];
  /** The events that name the input that they repeat. */
  const AGAIN = [
    'match.reapplied.1', 'match.seat-reapplied.1', 'match.sealed-reapplied.1', 'match.admitted.1',
  ];
  const PLAYED = ['match.action-received.1', 'match.deadline-passed.1', 'match.phase-closed.1'];

  const isA = (types, event) => event !== undefined && types.includes(event.type);
  const isDraw = (event) => isA(SETTLED, event);
  const audienceOf = (event) => EVENTS.audience(event, false);

  /** Whether the action at an index counted. */
  const counts = (history, index) => !isA(TURNED_DOWN, history.event(index + 1));

  /** The index of the first event of the batch of a public, live event behind the start. */
  const startOf = (history, before) => {
    const index = Number(before) - 1;
    if (index >= history.length || history.gone.has(index)) {
      refuse('not_live');
    }
    if (audienceOf(history.event(index)) !== EVENTS.PUBLIC) {
      refuse('not_public');
    }
    const start = history.batchOf(index);
    const begun = history.records.findIndex(({ event }) => event.type === 'match.started.1');
    if (begun < 0 || start <= begun) {
      refuse('not_live');
    }
    return start;
  };

  /** The indices of the actions to strike: each stands in the sealed phase that is open at the
   * `point` where the match goes on, or is undone. */
  const toStrike = (history, { changes }, start, point) => {
    const standing = history.branches.standing(point);
    return changes.filter(({ strike }) => strike !== undefined).map(({ strike }) => {
      const index = Number(strike) - 1;
      const event = history.event(index);
      const undone = start !== null && index >= start && !history.gone.has(index);
      if (event === undefined || !LIVE.submits(event) || !(undone || standing.has(index))) {
        refuse('not_live');
      }
      return index;
    });
  };

  /** The indices of the actions to admit: each was refused or found invalid, and no ruling that
   * stands, where others are `gone`, has let it count. */
  const toAdmit = (history, { changes }, gone) => {
    const counted = new Set(history.records
      .filter(({ event }, index) => isA(AGAIN, event) && !gone.has(index))
      .map(({ event }) => Number(event.of) - 1));
    return changes.filter(({ admit }) => admit !== undefined).map(({ admit }) => {
      const index = Number(admit) - 1;
      const received = isA(['match.action-received.1'], history.event(index));
      if (!received || counts(history, index) || counted.has(index)) {
        refuse('not_live');
      }
      counted.add(index);
      return index;
    });
  };

  /** Whether nothing but refusals came after a batch, and it told no seat anything alone. */
  const isAlone = (history, start) => {
    const later = history.starts.filter((index) => index > start);
    const batch = history.records.slice(start, later[0]);
    return batch.every(({ event }) => audienceOf(event) !== EVENTS.OWN_SEAT)
      && later.every((index) => (
        isA(['match.draw-refused.1'], history.event(index)) || !counts(history, index)
      ));
  };

  /** Whether an input of the game begins with this event, or one that a ruling gave again. */
  const isHead = (event, before) => {
    if (isDraw(event)) {
      return event.by === 'manual' || (event.by === 'ruling' && !isA(AGAIN, before));
    }
    return isA(PLAYED, event) || isA(AGAIN, event);
  };

  /** The inputs of the game from an index on that are `gone` behind the rewind, in order: the index
   * of the first event of each, and of that with its content, which is another one if it was judged
   * again; the content; whether it counted; and the parts of the draw that it answers. */
  const inputsSince = (history, start, gone) => {
    const line = history.line.filter(({ index }) => index >= start);
    const events = line.map(({ index }) => history.event(index));
    return line
      .filter(({ index }, place) => gone.has(index) && isHead(events[place], events[place - 1]))
      .map(({ index, before }) => inputAt(history, index, before));
  };

  const inputAt = (history, head, { game, state }) => {
    let of = head;
    while (isA(AGAIN, history.event(of))) {
      of = Number(history.event(of).of) - 1;
    }
    const event = history.event(of);
    const parts = isDraw(event) ? game.awaits(state).draw?.parts ?? [] : [];
    return { head, of, event, counted: of !== head || counts(history, head), parts };
  };

  /** What a rewind looks back on; its `start` is null where it names no event. */
  const pastOf = (history, ruling) => {
    const { branches } = history;
    const start = ruling.before === null ? null : startOf(history, ruling.before);
    const point = start === null ? branches.now : branches.rewoundTo(start);
    const struck = toStrike(history, ruling, start, point);
    const gone = branches.undone(point, struck);
    const admitted = toAdmit(history, ruling, gone);
    return {
      start,
      at: history.records[start ?? 0].at,
      base: history.without(gone).match,
      inputs: start === null ? [] : inputsSince(history, start, gone),
      alone: start !== null && isAlone(history, start),
      struck: struck.map((index) => ({ of: index + 1, event: history.event(index) })),
      admitted: admitted.map((index) => ({ of: index + 1, event: history.event(index) })),
    };
  };

  return { isDraw, pastOf };
})();
