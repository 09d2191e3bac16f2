// A button of a deed that is hard to undo: it asks first, and says why it failed.
// <ConfirmButton label="Delete" title="Delete policy web?" deed={reason => …}>3 tokens lose it.</ConfirmButton>
import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import { useAction } from '../session/use-action.js'
import { Dialog } from './dialog.js'
import { ReasonInput } from './reason-input.js'
import { Refusal } from './refusal.js'

interface Props {
  /** Of the button, and of the one that does it. */
  readonly label: string
  /** The question. */
  readonly title: string
  /** @param reason what people wrote; `reasonHeaders` makes headers of it */
  readonly deed: (reason: string) => Promise<void>
  /** What must be typed first: the name of what would be lost with all that is in it. */
  readonly typed?: string
  readonly disabled?: boolean
  /** Whether nothing is lost by it, so that it need not look so. */
  readonly isHarmless?: boolean
  /** What follows from it. */
  readonly children?: ComponentChildren
}

export const ConfirmButton = (props: Props) => {
  const { label, title, deed, typed, disabled = false, isHarmless = false, children } = props
  const [isOpen, setIsOpen] = useState(false)
  const [reason, setReason] = useState('')
  const [name, setName] = useState('')
  const { failure, isRunning, run } = useAction()
  const open = (): void => {
    setReason('')
    setName('')
    setIsOpen(true)
  }
  const submit = (event: SubmitEvent): void => {
    event.preventDefault()
    run(async () => {
      await deed(reason)
      setIsOpen(false)
    })
  }
  return (
    <>
      <button type="button" class={isHarmless ? undefined : 'danger'} disabled={disabled} onClick={open}>
        {label}
      </button>
      <Dialog title={title} isOpen={isOpen} close={() => setIsOpen(false)}>
        <form onSubmit={submit} class="fields">
          {children !== undefined && <div>{children}</div>}
          {typed !== undefined && (
            <label>
              Type {typed} to confirm
              <input
                value={name}
                autocomplete="off"
                onInput={({ currentTarget }) => setName(currentTarget.value)}
              />
            </label>
          )}
          <ReasonInput value={reason} change={setReason} />
          <Refusal text={failure} />
          <p class="choices">
            <button
              type="submit"
              class={isHarmless ? 'primary' : 'danger'}
              disabled={isRunning || (typed !== undefined && name !== typed)}
            >
              {label}
            </button>
            <button type="button" onClick={() => setIsOpen(false)}>
              Cancel
            </button>
          </p>
        </form>
      </Dialog>
    </>
  )
}
