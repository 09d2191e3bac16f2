// A titled part of a page, with the reason when it cannot be shown: <Section title="Log" failure={failure}>…</Section>
import type { ComponentChildren } from 'preact'
import { Refusal } from './notice.js'

interface Props {
  readonly title: string
  /** The accessible name, if it differs from the title. */
  readonly label?: string
  readonly failure?: string | undefined
  /** Hides what follows until the section has its size, so that nothing moves. */
  readonly isPending?: boolean
  readonly children?: ComponentChildren
}

export const Section = ({ title, label = title, failure, isPending = false, children }: Props) => (
  <section aria-label={label} class={isPending ? 'pending' : undefined}>
    <h2>{title}</h2>
    <Refusal text={failure} />
    {children}
  </section>
)
