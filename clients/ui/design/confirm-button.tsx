// Confirms an action: <ConfirmButton label="Delete" title="Delete policy web?" action={reason => …}>3 tokens lose it.</ConfirmButton>
import { Button } from './button.js'
import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import { Dialog } from './dialog.js'
import { Field, ReasonInput } from './field.js'
import { ActionForm } from './submit-form.js'

interface Props {
  readonly label: string
  readonly title: string
  /** @param reason what the user typed; `reasonHeaders` converts it to headers */
  readonly action: (reason: string) => Promise<void>
  /** The name that the user must type first, if the action deletes contents too. */
  readonly typed?: string
  readonly disabled?: boolean
  /** Styles the button as a normal one, because the action loses no data. */
  readonly isHarmless?: boolean
  readonly children?: ComponentChildren
}

export const ConfirmButton = (props: Props) => {
  const { label, title, action, typed, disabled = false, isHarmless = false, children } = props
  const [isOpen, setIsOpen] = useState(false)
  const [reason, setReason] = useState('')
  const [name, setName] = useState('')
  const open = (): void => {
    setReason('')
    setName('')
    setIsOpen(true)
  }
  const act = async (): Promise<void> => {
    await action(reason)
    setIsOpen(false)
  }
  return (
    <>
      <Button label={label} act={open} class={isHarmless ? undefined : 'danger'} disabled={disabled} />
      <Dialog title={title} isOpen={isOpen} close={() => setIsOpen(false)}>
        <ActionForm action={act} class="fields">
          {isRunning => (
            <>
              {children !== undefined && <div>{children}</div>}
              {typed !== undefined && (
                <Field label={`Type ${typed} to confirm`} value={name} change={setName} />
              )}
              <ReasonInput value={reason} change={setReason} />
              <p class="choices">
                <button
                  type="submit"
                  class={isHarmless ? 'primary' : 'danger'}
                  disabled={isRunning || (typed !== undefined && name !== typed)}
                >
                  {label}
                </button>
                <Button label="Cancel" act={() => setIsOpen(false)} />
              </p>
            </>
          )}
        </ActionForm>
      </Dialog>
    </>
  )
}
