/** What a rewind gives: the match goes on where it was, with what is changed there, and perhaps
 * with the later inputs judged again. */
const REWINDING = (() => {
  'use strict';

  const { refuse } = COMMANDS;
  const { PUBLIC } = EVENTS;

  const struckEvents = ({ struck }) => struck.map(({ of, event }) => (
    { type: 'match.struck.1', seat: event.seat, of }
  ));

  /** What follows from an action that counts after all. */
  const admittedEvents = (match, { of, event }, at) => {
    const { decided } = PLAY.answer(match, event);
    if (decided === undefined) {
      refuse('not_admissible');
    }
    const cause = { type: 'match.admitted.1', seat: event.seat, of };
    return PLAY.follow(match, [cause], decided, { at });
  };

  const orderedEvent = ({ changes, reapply }) => (
    { type: 'match.rewind-ordered.1', changes, reapply }
  );

  /** In a sealed phase that is open nothing is undone but what is struck, and nothing is shown to
   * anybody else. */
  const inOpenPhase = (ruling, past, at) => {
    let match = past.base;
    if (!STATE.inSealedPhase(match)) {
      refuse('not_live');
    }
    const events = [orderedEvent(ruling), ...struckEvents(past)];
    for (const one of past.admitted) {
      const admitted = admittedEvents(match, one, at);
      if (admitted.some((event) => EVENTS.audience(event, false) === PUBLIC)) {
        refuse('not_admissible');
      }
      match = admitted.reduce(STATE.evolve, match);
      events.push(...admitted);
    }
    return events;
  };

  /** The id of a draw as the rules know it, without its branch. */
  const plainId = (id) => id.replace(/^b[0-9]+\//, '');

  const same = (one, other) => BYTES.equal(MSGPACK.encode(one), MSGPACK.encode(other));

  /** A rewind as it is carried out: what it has given so far, and the match after that, paused. */
  class Rewinding {
    constructor(match, ruling, past, at) {
      this.ruling = ruling;
      this.past = past;
      this.at = at;
      this.match = past.base;
      this.events = [];
      this.closed = false;
      this.redraws = new Map(ruling.changes.filter(({ redraw }) => redraw !== undefined)
        .map(({ redraw: { id, outcome } }) => [plainId(id), outcome]));
      this.redrawn = new Set(this.redraws.keys());
      const branch = match.rulings.branch + 1;
      this.add([{ type: 'match.rewound.1', branch, before: past.start + 1 }, orderedEvent(ruling)]);
    }

    /** The events of the rewind; what is left of a deadline is known at the end. */
    carriedOut() {
      this.add([{ type: 'match.paused.1', left: this.leftAtPoint() }]);
      this.announce();
      this.add(struckEvents(this.past));
      this.past.admitted.forEach((one) => this.add(admittedEvents(this.match, one, this.at)));
      if (this.ruling.reapply === 'while_legal') {
        this.reapply();
      }
      this.redraw();
      if (this.redraws.size > 0) {
        refuse('no_such_draw');
      }
      const [rewound, ordered, , ...rest] = this.events;
      return [rewound, ordered, { type: 'match.paused.1', left: this.left() }, ...rest];
    }

    add(events) {
      this.match = events.reduce(STATE.evolve, this.match);
      this.events.push(...events);
    }

    /** Says for whom the match waits where it goes on. */
    announce() {
      const awaiting = { ...this.match.awaiting, deadline: null };
      const match = { ...this.match, awaiting };
      const times = { countedFrom: this.at, now: this.at };
      const asked = PLAY.asked(match, STATE.awaits(match), times, awaiting.phase);
      const says = asked.some(({ type }) => type === awaiting.type);
      this.add(says ? asked : [...asked, awaiting]);
    }

    leftAtPoint() {
      const { status, awaiting: { deadline }, left } = this.past.base;
      return status === 'paused' || deadline === null
        ? left : Math.max(0, deadline - this.past.at);
    }

    /** What is left of the deadline: what was left at the point, or all of a later one. */
    left() {
      if (this.match.awaiting.phase === this.past.base.awaiting.phase && !this.closed) {
        return this.leftAtPoint();
      }
      const due = PLAY.dueOf(this.match, STATE.awaits(this.match), this.at, this.at);
      return due === null ? null : due - this.at;
    }

    // Later inputs.

    /** Judges the later inputs again, until one is not legal any more. */
    reapply() {
      const struck = this.past.struck.map(({ of }) => of - 1);
      for (const input of this.past.inputs) {
        this.redraw();
        if (this.match.status === 'ended') {
          return;
        }
        const { head, event, counted } = input;
        const changed = LOOKING_BACK.isDraw(event) && this.redrawn.has(plainId(event.id));
        if (counted && !struck.includes(head) && !changed) {
          const given = this.again(input);
          if (given === null) {
            return;
          }
          this.add(given);
        }
      }
    }

    /** What follows from a later input; null if it is not legal any more. */
    again(input) {
      const { event } = input;
      const of = input.of + 1;
      if (LOOKING_BACK.isDraw(event)) {
        return this.drawAgain(input, of);
      }
      if (this.match.game.awaits(this.match.state).draw !== null) {
        return null;
      }
      if (event.type !== 'match.action-received.1') {
        return this.endAgain(event, of);
      }
      const { decided } = PLAY.answer(this.match, event);
      const cause = { type: 'match.seat-reapplied.1', seat: event.seat, of };
      return decided === undefined
        ? null : PLAY.follow(this.match, [cause], decided, { at: this.at });
    }

    endAgain({ phase }, of) {
      if (this.match.awaiting.phase !== phase) {
        return null;
      }
      this.closed = true;
      return PLAY.expired(this.match, { type: 'match.reapplied.1', of }, this.at);
    }

    drawAgain({ event, parts }, of) {
      const { draw } = STATE.awaits(this.match);
      if (draw === null || plainId(draw.id) !== plainId(event.id) || !same(draw.parts, parts)) {
        return null;
      }
      const type = draw.audience === PUBLIC ? 'match.reapplied.1' : 'match.sealed-reapplied.1';
      return this.settled(draw, event.outcome, [{ type, of }]);
    }

    /** Settles the draws that are awaited and have another outcome now. */
    redraw() {
      while (this.match.status !== 'ended' && this.match.created.chance === 'manual') {
        const { draw } = STATE.awaits(this.match);
        const id = draw === null ? null : plainId(draw.id);
        const outcome = this.redraws.get(id);
        if (outcome === undefined) {
          return;
        }
        this.redraws.delete(id);
        if (!CHANCE.fits(draw.parts, outcome)) {
          refuse('outcome_does_not_fit');
        }
        this.add(this.settled(draw, outcome, []));
      }
    }

    settled(draw, outcome, causes) {
      const event = PLAY.drawSettled(draw, outcome, 'ruling');
      return PLAY.settled(this.match, [...causes, event], outcome, this.at);
    }
  }

  /** What a rewind gives at an instant. */
  const rewound = (match, ruling, past, at) => {
    if (past.base.status === 'ended') {
      // Behind the end there is nothing to go on with.
      refuse('match_not_running');
    }
    return ruling.before === null
      ? inOpenPhase(ruling, past, at) : new Rewinding(match, ruling, past, at).carriedOut();
  };

  return { rewound };
})();
