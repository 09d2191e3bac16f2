// A part of the page of the server: what it is about, why it is not shown, and what it shows.
import type { ComponentChildren } from 'preact'
import { Refusal } from '../../components/notice.js'

interface Props {
  readonly title: string
  readonly failure?: string | undefined
  readonly children: ComponentChildren
}

export const Section = ({ title, failure, children }: Props) => (
  <section aria-label={title}>
    <h2>{title}</h2>
    <Refusal text={failure} />
    {children}
  </section>
)
