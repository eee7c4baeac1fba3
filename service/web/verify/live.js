/**
 * The live record: what no rewind has undone. Events come with numbers that grow, and what names an
 * event names it by such a number: positions in the whole record, or in what a reader can open.
 */
const LIVE = (() => {
  'use strict';

  /** What is of no branch, so never undone: keys, names, notes, rulings and seeds. */
  const OF_NO_BRANCH = new Set([
    'key-issued', 'key-ended', 'moderator-key-issued', 'moderator-key-ended',
    'case-opened', 'case-closed',
    'ruled', 'seat-ruled', 'sealed-ruled', 'ruling-ordered', 'ruling-proposed', 'ruling-withdrawn',
    'ruling-lapsed', 'ruling-consented', 'consent-asked', 'consent-closed', 'seat-replaced',
    'noted', 'seat-noted', 'sealed-noted', 'directed', 'rewind-ordered',
    'seed-committed', 'name-salted', 'client-seed-given', 'seed-sealed', 'seed-revealed',
    'sealed-seed-revealed',
  ].map((name) => `match.${name}.1`));

  const REWOUND = 'match.rewound.1';
  const STRUCK = 'match.struck.1';
  const OVER = ['match.ended.1', 'match.voided.1'];

  /** The events with which a submission begins; what became of it stands right behind. */
  const SUBMITS = ['match.action-received.1', 'match.seat-reapplied.1', 'match.admitted.1'];

  const submits = ({ type }) => SUBMITS.includes(type);

  /** Whether one of the events undoes earlier ones. */
  const undoes = (events) => events.some(({ type }) => type === REWOUND || type === STRUCK);

  /** Whether the event says what became of the submission right before it. */
  const follows = (event, before) => before !== undefined && submits(before)
    && EVENTS.audience(event, false) === EVENTS.OWN_SEAT && event.seat === before.seat;

  /**
   * The branches of a record, event by event. A *point* is where a match goes on: the sealed phase
   * that is open there (null for none) and the rewinds in force, the latest first, each with the
   * indices from where on and up to where it undoes, the phase that was open there, and the rewind
   * in force `before` it. A phase is named by the index of the event that opened it: another branch
   * may open one with the same id.
   */
  class Branches {
    constructor(isSealed) {
      this.isSealed = isSealed;
      this.events = [];
      this.numbers = [];
      this.points = [];
      this.phases = new Map();
      this.strikes = [];
      this.now = { phase: null, rewinds: null };
    }

    /** The index of the event with this number, or of the first behind it. */
    indexOf(number) {
      let [low, high] = [0, this.numbers.length];
      while (low < high) {
        const middle = Math.floor((low + high) / 2);
        [low, high] = this.numbers[middle] < number ? [middle + 1, high] : [low, middle];
      }
      return low;
    }

    /** The point to which a rewind to this index leads, if it is the next event. */
    rewoundTo(from) {
      const { phase, rewinds } = this.points[from] ?? this.now;
      return { phase, rewinds: { from, to: this.numbers.length, phase, before: rewinds } };
    }

    add(number, event) {
      const index = this.numbers.length;
      this.points.push(this.now);
      this.now = this.after(event);
      this.note(index, event, this.events.at(-1));
      this.numbers.push(number);
      this.events.push(event);
    }

    after(event) {
      const { type, phase } = event;
      if (type === REWOUND) {
        return this.rewoundTo(this.indexOf(event.before));
      }
      if (type === 'match.awaiting-changed.1') {
        return { ...this.now, phase: this.opened(phase) };
      }
      return OVER.includes(type) ? { ...this.now, phase: null } : this.now;
    }

    /** The sealed phase that is open once the next event says for which phase the match waits. */
    opened(id) {
      if (id === null || !this.isSealed(id)) {
        return null;
      }
      const { phase } = this.now;
      return phase !== null && this.events[phase].phase === id ? phase : this.numbers.length;
    }

    /** Notes in which sealed phase something was submitted, or a submission struck. */
    note(index, event, before) {
      if (event.type === STRUCK) {
        const struck = this.indexOf(event.of);
        this.strikes.push({ index, struck });
        this.submitted(index, this.phases.get(struck) ?? null);
      } else if (submits(event) || follows(event, before)) {
        this.submitted(index, this.points[index].phase);
      }
    }

    submitted(index, phase) {
      if (phase !== null) {
        this.phases.set(index, phase);
      }
    }

    /** The indices of what is undone at a point, and by further strikes there. What a seat
     * submitted in the sealed phase that was open where the match went on stands, unless it was
     * struck. */
    undone(point = this.now, further = []) {
      const gone = new Set();
      for (let rewind = point.rewinds; rewind !== null; rewind = rewind.before) {
        this.undo(rewind, gone);
      }
      this.strikes.filter(({ index }) => !gone.has(index))
        .forEach(({ index, struck }) => this.strike(struck, index, gone));
      further.forEach((struck) => this.strike(struck, Infinity, gone));
      return gone;
    }

    undo({ from, to, phase }, gone) {
      for (let index = from; index < to; index += 1) {
        const stands = phase !== null && this.phases.get(index) === phase;
        if (!stands && !OF_NO_BRANCH.has(this.events[index].type)) {
          gone.add(index);
        }
      }
    }

    strike(struck, by, gone) {
      gone.add(struck);
      if (struck + 1 < by && struck + 1 < this.events.length
        && follows(this.events[struck + 1], this.events[struck])) {
        gone.add(struck + 1);
      }
    }

    /** The indices of the submissions that stand, unless replaced, in the sealed phase that is open
     * at a point. */
    standing(point) {
      const gone = this.undone(point);
      return new Set([...this.phases.keys()].filter((index) => (
        this.phases.get(index) === point.phase && submits(this.events[index]) && !gone.has(index)
      )));
    }
  }

  /** The events among `[number, event]` that are not undone. */
  const live = (numbered, isSealed) => {
    const branches = new Branches(isSealed);
    numbered.forEach(([number, event]) => branches.add(number, event));
    const gone = branches.undone();
    return branches.events.filter((event, index) => !gone.has(index));
  };

  return { Branches, submits, undoes, live };
})();
