// Takes something out of the catalog, after it was said what goes with it.
import type { ComponentChildren } from 'preact'
import { ConfirmButton } from '../../components/confirm-button.js'
import { reasonHeaders } from '../../session/reason.js'
import { client } from '../../session/session.js'

interface Props {
  /** What is deregistered. */
  readonly what: string
  /** The body of the request. */
  readonly named: Readonly<Record<string, string | undefined>>
  /** What goes with it. */
  readonly children: ComponentChildren
}

export const Deregister = ({ what, named, children }: Props) => (
  <div class="deregister">
    <ConfirmButton
      label="Deregister"
      title={`Deregister ${what}?`}
      action={async reason => {
        const headers = reasonHeaders(reason)
        await client.value.connection.request('PUT', '/v1/catalog/deregister', { body: named, headers })
      }}
    >
      {children}
    </ConfirmButton>
  </div>
)
