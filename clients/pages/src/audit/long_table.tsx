/** A table that may be long: its first rows, and more when they are asked for. */
import { useSignal, type Signal } from "@preact/signals";
import type { VNode } from "preact";
import { say } from "../given.js";

const AT_A_TIME = 100;

interface LongTableProps<T> {
  /** The name of its text, and those of its columns. */
  title: string;
  columns: string[];
  rows: readonly T[];
  row(row: T): VNode;
  kind?: string;
  /** What is not read yet of a list that is read page by page. */
  rest?: { isMore: Signal<boolean>; read(): Promise<void> };
}

export function LongTable<T>({ title, columns, rows, row, kind = "", rest }: LongTableProps<T>): VNode {
  const most = useSignal(AT_A_TIME);
  return (
    <>
      <div class="audit-scroll" tabIndex={0} role="group" aria-label={say(`audit.${title}`)}>
        <table class={`audit-table ${kind}`}>
          <thead>
            <tr>
              {columns.map((name) => (
                <th key={name} scope="col">
                  {say(`audit.${name}`)}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>{rows.slice(0, most.value).map(row)}</tbody>
        </table>
      </div>
      {(rows.length > most.value || rest?.isMore.value) && (
        <p>
          <button
            type="button"
            class="plain"
            onClick={() => {
              most.value += AT_A_TIME;
              if (rows.length <= most.value) void rest?.read();
            }}
          >
            {say("audit.more")}
          </button>
        </p>
      )}
    </>
  );
}
