// A key in an editor that never writes over what somebody else wrote meanwhile.
import { useState } from 'preact/hooks'
import { ReasonInput } from '../../../parts/reason-input.js'
import { Refusal } from '../../../parts/refusal.js'
import { reasonHeaders } from '../../../session/reason.js'
import { client } from '../../../session/session.js'
import { useDeed } from '../../../session/use-deed.js'
import { fieldsOf, textOf, type Fields } from '../../../things/kind.js'
import type { PanelProps } from '../../thing/panel-props.js'
import { kvPath, valueOf } from '../entry.js'
import { Conflict } from './conflict.js'
import { bytesOf, draftOf, type Content, type Draft } from './draft.js'
import { KeyDeeds } from './key-deeds.js'
import { Holder } from './holder.js'
import { ValueEditor } from './value-editor.js'

/** A version of the key. */
interface Stored extends Content {
  readonly index: number
}

const storedOf = (entry: Fields): Stored => ({
  bytes: valueOf(entry),
  flags: textOf(entry['Flags']),
  index: Number(entry['ModifyIndex'])
})

/** What is written, and over which version. */
interface Edited {
  readonly draft: Draft
  readonly base: Stored
}

export const KeyEditor = ({ newest, named }: PanelProps) => {
  const entry = fieldsOf(newest.Payload ?? {})
  const { ns, partition } = named
  const key = textOf(entry['Key'])
  const stored = storedOf(entry)
  const [edited, setEdited] = useState<Edited>()
  const [reason, setReason] = useState('')
  const { failure, run } = useDeed()
  const { draft, base } = edited ?? { draft: draftOf(stored), base: stored }
  const isOutdated = edited !== undefined && base.index !== stored.index
  const asStored = draftOf(base, undefined)
  const isSame = draft.type === asStored.type && draft.text === asStored.text && draft.flags === base.flags
  const save = (): void =>
    run(async () => {
      const { flags } = draft
      const answer = await client.value.connection.request('PUT', kvPath(key), {
        query: { ns, partition, cas: base.index, flags },
        body: bytesOf(draft),
        headers: reasonHeaders(reason)
      })
      if (!(await answer.json<boolean>())) throw new Error('It was changed meanwhile: nothing was stored.')
      setEdited(undefined)
      setReason('')
    })
  return (
    <section aria-label="Editor">
      <h2>Value</h2>
      <Holder entry={entry} named={named} />
      <ValueEditor draft={draft} change={changed => setEdited({ draft: changed, base })} />
      {isOutdated && (
        <Conflict
          was={base}
          theirs={stored}
          yours={draft}
          takeTheirs={() => setEdited(undefined)}
          keep={text => setEdited({ draft: { ...draft, text }, base: stored })}
        />
      )}
      <p class="choices">
        <ReasonInput value={reason} change={setReason} />
        <button
          type="button"
          class="primary"
          disabled={edited === undefined || isSame || isOutdated}
          onClick={save}
        >
          Save
        </button>
        {edited !== undefined && !isOutdated && (
          <button type="button" onClick={() => setEdited(undefined)}>
            Discard
          </button>
        )}
        <KeyDeeds entry={entry} named={named} />
      </p>
      <Refusal text={failure} />
    </section>
  )
}
