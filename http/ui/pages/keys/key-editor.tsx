// The value of a key in an editor that never writes over what somebody else wrote meanwhile.
import { useState } from 'preact/hooks'
import { ReasonInput } from '../../parts/reason-input.js'
import { Refusal } from '../../parts/refusal.js'
import { SideBySide } from '../../parts/side-by-side.js'
import { reasonHeaders } from '../../session/reason.js'
import { client } from '../../session/session.js'
import { useDeed } from '../../session/use-deed.js'
import { fieldsOf, textInBase64 } from '../../things/kind.js'
import type { PanelProps } from '../thing/panel.js'

interface Edited {
  readonly text: string
  /** The version that was edited. */
  readonly base: number
}

export const KeyEditor = ({ newest, named }: PanelProps) => {
  const { Key, Value, Flags, ModifyIndex } = fieldsOf(newest.Payload ?? {})
  const [edited, setEdited] = useState<Edited>()
  const [reason, setReason] = useState('')
  const { failure, run } = useDeed()
  const saved = typeof Value === 'string' ? textInBase64(Value) : ''
  const index = Number(ModifyIndex)
  const text = edited?.text ?? saved ?? ''
  const isOutdated = edited !== undefined && edited.base !== index
  const save = (): void =>
    run(async () => {
      const { ns, partition } = named
      const answer = await client.value.connection.request(
        'PUT',
        `/v1/kv/${encodeURIComponent(String(Key))}`,
        {
          query: { ns, partition, cas: edited?.base ?? index, flags: Number(Flags) },
          body: text,
          headers: reasonHeaders(reason)
        }
      )
      if (!(await answer.json<boolean>())) throw new Error('It was changed meanwhile: nothing was stored.')
      setEdited(undefined)
    })
  if (saved === undefined) return <p role="status">The value is no text, and is not edited here.</p>
  if (!Number.isSafeInteger(Flags))
    return <p role="status">Its flags are greater than pages count, and would be lost: use annals kv put.</p>
  return (
    <section aria-label="Editor">
      <h2>Value</h2>
      <textarea
        class="editor"
        aria-label="Value"
        spellcheck={false}
        rows={Math.min(30, text.split('\n').length + 1)}
        value={text}
        onInput={({ currentTarget }) => setEdited({ text: currentTarget.value, base: edited?.base ?? index })}
      />
      {isOutdated && (
        <div role="group" aria-label="Conflict">
          <p role="alert" class="refused">
            Somebody has changed it meanwhile.
          </p>
          <SideBySide before={{ title: 'Theirs', text: saved }} after={{ title: 'Yours', text }} />
          <p class="choices">
            <button type="button" onClick={() => setEdited(undefined)}>
              Take theirs
            </button>
            <button type="button" onClick={() => setEdited({ text, base: index })}>
              Keep yours
            </button>
          </p>
        </div>
      )}
      <p class="choices">
        <ReasonInput value={reason} change={setReason} />
        <button type="button" disabled={text === saved || isOutdated} onClick={save}>
          Save
        </button>
      </p>
      <Refusal text={failure} />
    </section>
  )
}
