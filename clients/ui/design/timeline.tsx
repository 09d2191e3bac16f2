// What happened or needs attention, one line each with a time or a state at its end.
import type { ComponentChildren } from 'preact'

interface Props {
  readonly items: readonly {
    readonly id: string | number
    readonly content: ComponentChildren
    readonly end: ComponentChildren
  }[]
}

export const Timeline = ({ items }: Props) => (
  <ul class="timeline">
    {items.map(({ id, content, end }) => (
      <li key={id}>
        <span>{content}</span> {end}
      </li>
    ))}
  </ul>
)
