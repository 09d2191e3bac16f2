// The definition of a query as JSON, to be stored.
import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import { CodeEditor } from '../../components/code-editor.js'
import { ReasonInput } from '../../components/reason-input.js'
import { Refusal } from '../../components/notice.js'
import { reasonHeaders } from '../../session/reason.js'
import { useAction } from '../../session/use-action.js'

interface Props {
  readonly value: string
  readonly change: (definition: string) => void
  readonly isSavable: boolean
  /** @param headers say why */
  readonly save: (headers: Readonly<Record<string, string>>) => Promise<void>
  /** What else can be done with it. */
  readonly children?: ComponentChildren
}

export const QueryForm = ({ value, change, isSavable, save, children }: Props) => {
  const [reason, setReason] = useState('')
  const { failure, run } = useAction()
  return (
    <>
      <CodeEditor label="Definition" language="json" value={value} change={change} />
      {value.includes('"<hidden>"') && (
        <p role="status">Its token is hidden, and cannot be stored as shown: enter it again, or omit it.</p>
      )}
      <p class="choices">
        <ReasonInput value={reason} change={setReason} />
        <button
          type="button"
          class="primary"
          disabled={!isSavable}
          onClick={() => run(() => save(reasonHeaders(reason)))}
        >
          Save
        </button>
        {children}
      </p>
      <Refusal text={failure} />
    </>
  )
}
