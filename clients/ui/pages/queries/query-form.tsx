import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import { CodeEditor } from '../../design/code-editor.js'
import { ReasonInput } from '../../design/reason-input.js'
import { Refusal } from '../../design/notice.js'
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
        <button type="button" class="primary" disabled={!isSavable} onClick={() => run(() => save(reason))}>
          Save
        </button>
        {children}
      </p>
      <Refusal text={failure} />
    </>
  )
}
