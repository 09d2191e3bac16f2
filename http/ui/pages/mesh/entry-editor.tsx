// A configuration entry in an editor that shows first what would become of discovery chains.
import { useState } from 'preact/hooks'
import { ReasonInput } from '../../parts/reason-input.js'
import { Refusal } from '../../parts/refusal.js'
import { reasonHeaders } from '../../session/reason.js'
import { client } from '../../session/session.js'
import { useDeed } from '../../session/use-deed.js'
import { fieldsOf, type Fields } from '../../things/kind.js'
import { shown } from '../../things/versions.js'
import type { PanelProps } from '../thing/panel.js'
import type { Chain } from './chain.js'
import { ChainPicture } from './chain-picture.js'

/** The answer to a write of an entry that is tried. */
interface Tried {
  /** stored, unchanged, stale or refused */
  readonly Outcome: string
  readonly Errors: readonly string[]
  readonly Chains: readonly {
    readonly Service: string
    readonly Before?: Chain | null
    readonly After?: Chain | null
  }[]
}

const entryOf = ({ CreateIndex: _made, ModifyIndex: _changed, Hash: _hash, ...entry }: Fields): Fields =>
  entry

export const EntryEditor = ({ newest, named }: PanelProps) => {
  const now = fieldsOf(newest.Payload ?? {})
  const saved = shown(entryOf(now))
  const [edited, setEdited] = useState<{ readonly text: string; readonly base: number }>()
  const [tried, setTried] = useState<Tried>()
  const [reason, setReason] = useState('')
  const { failure, run } = useDeed()
  const text = edited?.text ?? saved
  const base = edited?.base ?? newest.Index
  const put = (query: Readonly<Record<string, string | number | true>>) => {
    const { ns, partition } = named
    const body: unknown = JSON.parse(text)
    const headers = reasonHeaders(reason)
    return client.value.connection.request('PUT', '/v1/config', {
      query: { ns, partition, ...query },
      body,
      headers
    })
  }
  const tryIt = (): void => run(async () => setTried(await (await put({ 'dry-run': true })).json<Tried>()))
  const save = (): void =>
    run(async () => {
      const isStored = await (await put({ cas: base })).json<boolean>()
      if (!isStored) throw new Error('It was changed meanwhile: nothing was stored.')
      setEdited(undefined)
      setTried(undefined)
    })
  return (
    <section aria-label="Editor">
      <h2>Edit</h2>
      <textarea
        class="editor"
        aria-label="Entry"
        spellcheck={false}
        rows={Math.min(30, text.split('\n').length + 1)}
        value={text}
        onInput={({ currentTarget }) => {
          setTried(undefined)
          setEdited({ text: currentTarget.value, base })
        }}
      />
      <p class="choices">
        <button type="button" onClick={tryIt}>
          Try
        </button>
        <ReasonInput value={reason} change={setReason} />
        <button type="button" disabled={text === saved} onClick={save}>
          Save
        </button>
        {edited && (
          <button type="button" onClick={() => setEdited(undefined)}>
            Discard
          </button>
        )}
      </p>
      <Refusal text={failure} />
      {tried && (
        <div role="group" aria-label="Trial">
          <p role="status">
            It would be {tried.Outcome}; {tried.Chains.length} discovery chains would change.
          </p>
          {tried.Errors.map(fault => (
            <p class="refused" key={fault}>
              {fault}
            </p>
          ))}
          {tried.Chains.map(({ Service, Before, After }) => (
            <div key={Service}>
              <h3>{Service} before</h3>
              {Before ? <ChainPicture chain={Before} title={`${Service} before`} /> : <p>No chain</p>}
              <h3>{Service} after</h3>
              {After ? <ChainPicture chain={After} title={`${Service} after`} /> : <p>No chain</p>}
            </div>
          ))}
        </div>
      )}
    </section>
  )
}
