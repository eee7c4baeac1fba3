/** The record of a match as far as it has been judged: its batches, its branches, and the match
 * before each event that is live. */
const HISTORY = (() => {
  'use strict';

  /** `line` are the live events, by index, each with the match before it; `match` is the one behind
   * all of them. The first `folded` records are in it. `starts` are the indices at which batches
   * begin, `gone` those of what is undone. */
  class History {
    /** Of a match that has just been created, with the record of that. */
    constructor(match, record) {
      this.records = [];
      this.starts = [];
      this.branches = new LIVE.Branches(match.game.sealedPhase);
      this.gone = new Set();
      this.line = [];
      this.match = match;
      this.folded = 0;
      this.add([record], true);
    }

    get length() {
      return this.records.length;
    }

    /** The event at an index; undefined if there is none. */
    event(index) {
      return this.records[index]?.event;
    }

    /** Adds the records that an input has given; `begins`: a batch begins with the first. */
    add(records, begins) {
      if (begins) {
        this.starts.push(this.length);
      }
      const given = records.map(({ event }) => event);
      if (LIVE.undoes(given)) {
        records.forEach((record) => this.note(record));
        const gone = this.branches.undone();
        Object.assign(this, this.without(gone), { gone });
      } else {
        records.forEach((record) => this.goOn(record));
      }
      this.folded = this.length;
    }

    goOn(record) {
      this.line.push({ index: this.length, before: this.match });
      this.match = STATE.evolve(this.match, record.event);
      this.note(record);
    }

    note(record) {
      this.records.push(record);
      this.branches.add(this.length, record.event);
    }

    /** The live events, each with the match before it, and the match behind all of them, where this
     * is what is `gone`: folded anew from the first event whose lot that changes. */
    without(gone) {
      const first = firstApart(this.gone, gone, this.folded);
      const line = this.line.filter(({ index }) => index < first);
      let match = this.line[line.length]?.before ?? this.match;
      for (let index = first; index < this.length; index += 1) {
        if (!gone.has(index)) {
          line.push({ index, before: match });
          match = STATE.evolve(match, this.event(index));
        }
      }
      return { line, match };
    }

    /** The index of the first event of the batch in which an event stands. */
    batchOf(index) {
      return this.starts.findLast((start) => start <= index);
    }
  }

  /** The least index that is in only one of two sets; `otherwise` if there is none below it. */
  const firstApart = (some, others, otherwise) => {
    let first = otherwise;
    for (const [one, other] of [[some, others], [others, some]]) {
      for (const index of one) {
        first = other.has(index) ? first : Math.min(first, index);
      }
    }
    return first;
  };

  return { History };
})();
