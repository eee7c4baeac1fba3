/** What comes before somebody asks for it. */

/** Hands out what was pushed, in order, to one reader; then the end or the failure. */
export class Queue<T> implements AsyncIterable<T> {
  readonly #items: T[] = [];
  #ended = false;
  #error: unknown;
  #wake = () => {};

  push(item: T): void {
    this.#items.push(item);
    this.#wake();
  }

  /** There will be no more; with an error the reader gets it behind the last item. */
  end(error?: unknown): void {
    this.#ended = true;
    this.#error ??= error;
    this.#wake();
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<T, void> {
    for (;;) {
      while (this.#items.length > 0) yield this.#items.shift() as T;
      if (this.#error !== undefined) throw this.#error;
      if (this.#ended) return;
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
  }
}
