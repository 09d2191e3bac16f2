// Names and values: <Facts facts={[['Version', version], …]} />. Undefined and empty values are omitted.
import type { ComponentChildren } from 'preact'

interface Props {
  readonly facts: readonly (readonly [name: string, value: ComponentChildren])[]
  /** Lays the values out in one line in place of columns. */
  readonly isInline?: boolean
}

interface PayloadProps {
  readonly text: string | undefined
  readonly label?: string
}

/** A text with its line breaks. */
export const Payload = ({ text, label }: PayloadProps) => (
  <pre class="payload" tabIndex={0} aria-label={label}>
    {text}
  </pre>
)

const ID = /^[\da-f-]{36}$/

export const Facts = ({ facts, isInline = false }: Props) => (
  <dl class={isInline ? undefined : 'facts'}>
    {facts.map(([name, value]) =>
      value === undefined || value === '' || value === null || value === false ? null : (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{typeof value === 'string' && ID.test(value) ? <code>{value}</code> : value}</dd>
        </div>
      )
    )}
  </dl>
)
