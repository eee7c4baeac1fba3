/** A task at the desk, folded away until it is wanted. */
import type { ComponentChildren, VNode } from "preact";

interface TaskProps {
  title: string;
  /** How much there is of it. */
  count?: number;
  open?: boolean;
  children: ComponentChildren;
}

export function Task({ title, count, open = false, children }: TaskProps): VNode {
  return (
    <details class="task" open={open}>
      <summary>
        {title} {count !== undefined && <span class="quiet">{count}</span>}
      </summary>
      <div class="task-body">{children}</div>
    </details>
  );
}
