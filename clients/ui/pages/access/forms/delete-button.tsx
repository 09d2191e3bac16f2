// Deletes a policy, a role, a token and the like, after asking, and leads back to the list.
import { useLocation } from 'preact-iso'
import { ConfirmButton } from '../../../components/confirm-button.js'
import { usePermission } from '../../../session/use-response.js'
import { remove, type Target } from './send.js'

interface Props {
  readonly target: Target
  /** Such as `policy`. */
  readonly what: string
  readonly name: string
  /** What follows from it. */
  readonly consequence: string
  /** The list. */
  readonly back: string
}

export const DeleteButton = ({ target, what, name, consequence, back }: Props) => {
  const { route } = useLocation()
  const mayWrite = usePermission('write', 'acl', target.place) !== false
  return (
    <div class="choices apart">
      <ConfirmButton
        label={`Delete the ${what}`}
        title={`Delete ${what} ${name}?`}
        disabled={!mayWrite}
        action={async reason => {
          await remove(target, reason)
          route(back)
        }}
      >
        {consequence}
      </ConfirmButton>
    </div>
  )
}
