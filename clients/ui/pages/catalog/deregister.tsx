import type { ComponentChildren } from 'preact'
import { ConfirmButton } from '../../design/index.js'
import { send } from '../send.js'

interface Props {
  readonly what: string
  readonly named: Readonly<Record<string, string | undefined>>
  readonly children: ComponentChildren
}

export const Deregister = ({ what, named, children }: Props) => (
  <ConfirmButton
    label="Deregister"
    title={`Deregister ${what}?`}
    action={async reason => {
      await send('PUT', '/v1/catalog/deregister', { body: named, reason })
    }}
  >
    {children}
  </ConfirmButton>
)
