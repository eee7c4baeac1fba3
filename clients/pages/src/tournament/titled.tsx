/** Parts of a page, with their headings. */
import type { ComponentChildren, VNode } from "preact";

/** A part of the page with its heading. */
export function Part(props: { id: string; title: ComponentChildren; children: ComponentChildren }): VNode {
  return (
    <section aria-labelledby={props.id}>
      <h2 id={props.id}>{props.title}</h2>
      {props.children}
    </section>
  );
}
