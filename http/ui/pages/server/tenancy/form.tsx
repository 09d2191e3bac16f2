// What is written of a namespace or partition: by whom it may be, why, and what became of it.
import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import { Notice } from '../../../parts/notice.js'
import { ReasonInput } from '../../../parts/reason-input.js'
import { Refusal } from '../../../parts/refusal.js'
import { moment } from '../../../past/moment.js'
import { READ_ONLY } from '../../../past/read-only.js'
import type { Place } from '../../../session/place.js'
import { useDeed } from '../../../session/use-deed.js'
import type { Draft } from '../../../session/use-draft.js'
import { useMay } from '../../../session/use-may.js'

interface Props {
  readonly label: string
  readonly place: Place
  readonly draft: Pick<Draft<object>, 'isEdited' | 'isStale' | 'discard'>
  readonly isNew: boolean
  /** Whether it is being deleted: then nothing is written. */
  readonly isGoing?: boolean
  readonly send: (reason: string) => Promise<void>
  readonly children: ComponentChildren
}

/** Other rights than operator:write may do, too, so that who lacks it may try. */
export const TenancyForm = ({ label, place, draft, isNew, isGoing = false, send, children }: Props) => {
  const [reason, setReason] = useState('')
  const { failure, isRunning, run } = useDeed()
  const isPast = moment.value !== undefined
  const lacksRight = useMay('write', 'operator', place) === false
  const submit = (event: SubmitEvent): void => {
    event.preventDefault()
    run(async () => {
      await send(reason)
      setReason('')
    })
  }
  return (
    <form onSubmit={submit} class="acl-form" aria-label={label}>
      {isPast && <Notice>{READ_ONLY}</Notice>}
      {lacksRight && (
        <Notice>
          This token lacks operator:write: it may write only where its rules name the place itself.
        </Notice>
      )}
      <fieldset disabled={isPast || isGoing}>
        {children}
        {draft.isStale && (
          <Notice tone="warn">Somebody changed it meanwhile. What is saved here writes over that.</Notice>
        )}
        <p class="choices">
          <ReasonInput value={reason} change={setReason} />
          <button type="submit" class="primary" disabled={isRunning || (!isNew && !draft.isEdited)}>
            {isNew ? 'Make' : 'Save'}
          </button>
          {draft.isEdited && !isNew && (
            <button type="button" onClick={draft.discard}>
              Discard
            </button>
          )}
        </p>
      </fieldset>
      <Refusal text={failure} />
    </form>
  )
}
