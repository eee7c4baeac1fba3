/** A list as a table: on a narrow screen each row by itself, with the names of its columns. */
import type { ComponentChildren, VNode } from "preact";
import { LongTable } from "../audit/long_table.js";
import { say } from "../given.js";
import type { Listed } from "./reading.js";

interface ListingProps<T> {
  /** The name of its text, and those of its columns. */
  title: string;
  columns: string[];
  list: Listed<T>;
  /** What it says when there is nothing. */
  empty: string;
  cells(row: T): ComponentChildren[];
}

export function Listing<T>({ title, columns, list, empty, cells }: ListingProps<T>): VNode {
  const rows = list.rows.value;
  if (rows.length === 0) return <p class="quiet">{say(empty)}</p>;
  return <LongTable kind="stacked" title={title} columns={columns} rows={rows} rest={list} row={(one) => <Row columns={columns} cells={cells(one)} />} />;
}

function Row({ columns, cells: [first, ...others] }: { columns: string[]; cells: ComponentChildren[] }): VNode {
  return (
    <tr>
      <th scope="row">{first}</th>
      {others.map((cell, index) => (
        <td key={index} data-label={say(`audit.${columns[index + 1]}`)}>
          {cell}
        </td>
      ))}
    </tr>
  );
}
