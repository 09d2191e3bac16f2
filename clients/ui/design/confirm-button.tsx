// Confirms an action: <ConfirmButton label="Delete" title="Delete policy web?" action={reason => …}>3 tokens lose it.</ConfirmButton>
import { Button } from './button.js'
import type { ComponentChildren } from 'preact'
import { useContext, useState } from 'preact/hooks'
import { Dialog } from './dialog.js'
import { Field } from './field.js'
import { Denial } from './guard.js'
import { ActionForm, ReasonInput, SubmitButton } from './submit-form.js'

interface Props {
  readonly label: string
  readonly title: string
  readonly action: (reason: string) => Promise<unknown>
  /** Follows a successful action. */
  readonly done?: () => void
  /** The name that the user must type first, if the action deletes contents too. */
  readonly typed?: string
  readonly disabled?: boolean
  /** Styles the button as a normal one, because the action loses no data. */
  readonly isHarmless?: boolean
  readonly children?: ComponentChildren
}

export const ConfirmButton = (props: Props) => {
  const { label, title, action, done, typed, disabled = false, isHarmless = false, children } = props
  const [isOpen, setIsOpen] = useState(false)
  const [name, setName] = useState('')
  const denial = useContext(Denial)
  const open = (): void => {
    setName('')
    setIsOpen(true)
  }
  const act = async (reason: string): Promise<void> => {
    await action(reason)
    setIsOpen(false)
    done?.()
  }
  return (
    <>
      <Button
        label={label}
        act={open}
        class={isHarmless ? undefined : 'danger'}
        disabled={disabled || denial !== undefined}
      />
      <Dialog title={title} isOpen={isOpen} close={() => setIsOpen(false)}>
        <ActionForm action={act} class="fields">
          {children !== undefined && <div>{children}</div>}
          {typed !== undefined && <Field label={`Type ${typed} to confirm`} value={name} change={setName} />}
          <ReasonInput />
          <p class="choices">
            <SubmitButton
              label={label}
              class={isHarmless ? 'primary' : 'danger'}
              disabled={typed !== undefined && name !== typed}
            />
            <Button label="Cancel" act={() => setIsOpen(false)} />
          </p>
        </ActionForm>
      </Dialog>
    </>
  )
}
