// How a namespace or partition ends, with all that is in it: after its name was typed, in the background.
import { ConfirmButton } from '../../../components/confirm-button.js'
import { Notice } from '../../../components/notice.js'
import { asOfIndex } from '../../../time-travel/as-of-state.js'
import { remove, type Target } from '../../access/forms/send.js'
import { Time } from '../formatters.js'
import { BUILT_IN } from './tenancy-resources.js'

interface Props {
  readonly target: Target & { readonly id: string }
  readonly what: 'namespace' | 'partition'
  /** What goes with it. */
  readonly consequence: string
}

/** Nothing for those that are always there. */
export const DeleteTenancy = ({ target, what, consequence }: Props) =>
  target.id === BUILT_IN ? null : (
    <p class="choices apart">
      <ConfirmButton
        label={`Delete the ${what}`}
        title={`Delete ${what} ${target.id} with all that is in it?`}
        typed={target.id}
        disabled={asOfIndex.value !== undefined}
        action={reason => remove(target, reason)}
      >
        {consequence}
      </ConfirmButton>
    </p>
  )

/** While it is under way; the page tells when it is done, since that is an event. */
export const DeletionNotice = ({ since }: { readonly since: string }) => (
  <Notice tone="warn">
    Its deletion began <Time at={since} />. What is in it goes kind by kind, its tokens first; it can be read
    meanwhile, and nothing is written in it.
  </Notice>
)
