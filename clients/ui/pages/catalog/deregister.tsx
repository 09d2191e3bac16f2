// Deregisters a resource of the catalog after a confirmation.
import type { ComponentChildren } from 'preact'
import { ConfirmButton } from '../../components/confirm-button.js'
import { send } from '../send.js'

interface Props {
  /** The name of the resource. */
  readonly what: string
  /** The body of the request. */
  readonly named: Readonly<Record<string, string | undefined>>
  /** The consequences. */
  readonly children: ComponentChildren
}

export const Deregister = ({ what, named, children }: Props) => (
  <div class="deregister">
    <ConfirmButton
      label="Deregister"
      title={`Deregister ${what}?`}
      action={async reason => {
        await send('PUT', '/v1/catalog/deregister', { body: named, reason })
      }}
    >
      {children}
    </ConfirmButton>
  </div>
)
