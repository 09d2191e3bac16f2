// The end of an editor: <SaveBar isSavable={…} save={async reason => …} discard={isEdited ? discard : undefined} />
import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import { useAction } from '../session/use-response.js'
import { Button } from './button.js'
import { ReasonInput } from './field.js'
import { Refusal } from './notice.js'

interface Props {
  readonly isSavable: boolean
  readonly save: (reason: string) => Promise<void>
  /** Absent without edits. */
  readonly discard?: (() => void) | undefined
  /** Further controls. */
  readonly children?: ComponentChildren
}

export const SaveBar = ({ isSavable, save, discard, children }: Props) => {
  const [reason, setReason] = useState('')
  const { failure, isRunning, run } = useAction()
  const submit = (): void =>
    run(async () => {
      await save(reason)
      setReason('')
    })
  return (
    <>
      <p class="choices">
        {children}
        <ReasonInput value={reason} change={setReason} />
        <Button label="Save" act={submit} class="primary" disabled={isRunning || !isSavable} />
        {discard && <Button label="Discard" act={discard} />}
      </p>
      <Refusal text={failure} />
    </>
  )
}
