// A form of something that only some may write: says so to others, why it is written, and what became of it.
import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import { Notice, Refusal } from '../../../components/notice.js'
import { ReasonInput } from '../../../components/reason-input.js'
import { asOfIndex } from '../../../time-travel/as-of-state.js'
import { READ_ONLY } from '../../../time-travel/read-only.js'
import type { TenancyQuery } from '../../../session/tenancy.js'
import { useAction } from '../../../session/use-action.js'
import type { Draft } from '../../../session/use-draft.js'
import { usePermission } from '../../../session/use-response.js'

interface Props {
  readonly label: string
  readonly place: TenancyQuery
  readonly draft: Pick<Draft<object>, 'isEdited' | 'isStale' | 'discard'>
  /** Whether it is to be made; what is there already is saved only when it was edited. */
  readonly isNew: boolean
  /** Whether the server would refuse it anyway. */
  readonly isFaulty?: boolean
  /** The right that it takes, such as `operator`; `acl` when absent. */
  readonly resource?: string
  /** The warning about a missing permission. The form stays enabled, because other rules may grant it. */
  readonly without?: string
  readonly send: (reason: string) => Promise<void>
  /** @param mayWrite false for who may only look */
  readonly children: (mayWrite: boolean) => ComponentChildren
}

export const Form = (props: Props) => {
  const { label, place, draft, isNew, isFaulty = false, resource = 'acl', without, send, children } = props
  const [reason, setReason] = useState('')
  const { failure, isRunning, run } = useAction()
  const isPast = asOfIndex.value !== undefined
  const hasRight = usePermission('write', resource, place) !== false
  const mayWrite = (hasRight || without !== undefined) && !isPast
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
      {!hasRight && (
        <Notice>
          This token lacks {resource}:write: {without ?? 'it may look, and change nothing.'}
        </Notice>
      )}
      <fieldset disabled={!mayWrite}>
        {children(mayWrite)}
        {draft.isStale && (
          <Notice tone="warn">Somebody changed it meanwhile. What is saved here writes over that.</Notice>
        )}
        <p class="choices">
          <ReasonInput value={reason} change={setReason} />
          <button
            type="submit"
            class="primary"
            disabled={isRunning || isFaulty || (!isNew && !draft.isEdited)}
          >
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

interface TextFieldProps {
  readonly label: string
  readonly value: string
  readonly change: (text: string) => void
  readonly required?: boolean
  readonly placeholder?: string
  readonly hint?: string
}

export const TextField = ({ label, value, change, required, placeholder, hint }: TextFieldProps) => (
  <label>
    <span>{label}</span>
    <input
      value={value}
      required={required}
      placeholder={placeholder}
      autocomplete="off"
      onInput={({ currentTarget }) => change(currentTarget.value)}
    />
    {hint && <small>{hint}</small>}
  </label>
)
