// An editor with its end: <SaveBar isSavable={…} save={async reason => …} discard={isEdited ? discard : undefined}>…</SaveBar>
import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import { Button } from './button.js'
import { ReasonInput } from './field.js'
import { ActionForm } from './submit-form.js'

interface Props {
  readonly isSavable: boolean
  readonly save: (reason: string) => Promise<void>
  /** Absent without edits. */
  readonly discard?: (() => void) | undefined
  /** Further controls. */
  readonly actions?: ComponentChildren
  /** The fields, which follow each keystroke. */
  readonly children?: ComponentChildren
}

export const SaveBar = ({ isSavable, save, discard, actions, children }: Props) => {
  const [reason, setReason] = useState('')
  const submit = async (): Promise<void> => {
    await save(reason)
    setReason('')
  }
  return (
    <ActionForm action={submit}>
      {isRunning => (
        <>
          {children}
          <p class="choices">
            {actions}
            <ReasonInput value={reason} change={setReason} />
            <button type="submit" class="primary" disabled={isRunning || !isSavable}>
              Save
            </button>
            {discard && <Button label="Discard" act={discard} />}
          </p>
        </>
      )}
    </ActionForm>
  )
}
