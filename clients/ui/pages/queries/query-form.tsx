import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import { Button, CodeEditor, ReasonInput, Refusal } from '../../design/index.js'
import { useAction } from '../../session/use-action.js'

interface Props {
  readonly value: string
  readonly change: (definition: string) => void
  readonly isSavable: boolean
  readonly save: (reason: string) => Promise<void>
  readonly children?: ComponentChildren
}

export const QueryForm = ({ value, change, isSavable, save, children }: Props) => {
  const [reason, setReason] = useState('')
  const { failure, run } = useAction()
  return (
    <>
      <CodeEditor label="Definition" language="json" value={value} change={change} />
      {value.includes('"<hidden>"') && (
        <p role="status">The token is hidden. Enter it again, or remove the field.</p>
      )}
      <p class="choices">
        <ReasonInput value={reason} change={setReason} />
        <Button label="Save" act={() => run(() => save(reason))} class="primary" disabled={!isSavable} />
        {children}
      </p>
      <Refusal text={failure} />
    </>
  )
}
