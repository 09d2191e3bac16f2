// Names and values: <Facts facts={[['Version', version], …]} />. Undefined and empty values are omitted.
import { isEmpty } from './table.js'
import type { ComponentChildren } from 'preact'

interface Props {
  /** Undefined until they are loaded, which renders nothing. */
  readonly facts: readonly (readonly [name: string, value: ComponentChildren])[] | undefined
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

export const Facts = ({ facts }: Props) =>
  facts && (
    <dl>
      {facts
        .filter(([, value]) => !isEmpty(value))
        .map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{typeof value === 'string' && ID.test(value) ? <code>{value}</code> : value}</dd>
          </div>
        ))}
    </dl>
  )
