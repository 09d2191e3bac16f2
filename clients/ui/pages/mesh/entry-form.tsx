// The editor of a configuration entry, with dry runs. It never overwrites concurrent changes.
import type { Schemas } from '../../../typescript/typed/index.js'
import { SplitSliders } from './split-sliders.js'
import type { Query } from '../../../typescript/connection.js'
import { announce, Button, CodeEditor, DraftEditor, Notice, Refusal } from '../../design/index.js'
import { useAction } from '../../session/use-response.js'
import { type Write, sendJson } from '../send.js'
import { ChainPicture } from './chain-picture.js'
import { useDraft } from '../../session/draft.js'

type DryRunResult = Schemas['ConfigEntryTrial']

const DryRunView = ({ tried: { Outcome, Errors, Chains, Unchecked } }: { readonly tried: DryRunResult }) => (
  <div role="group" aria-label="Preview">
    <h2>Preview</h2>
    <Notice tone={Errors.length > 0 ? 'bad' : 'plain'}>
      It would be {Outcome}; {Chains.length === 1 ? '1 discovery chain' : `${Chains.length} discovery chains`}{' '}
      would change.
      {Unchecked > 0 && ` ${Unchecked} more may change and were not looked at.`}
      {Errors.map(fault => (
        <p key={fault}>{fault}</p>
      ))}
    </Notice>
    {Chains.map(({ Service, Before, After, Error: why }) => (
      <div key={Service}>
        <h3>{Service}</h3>
        {After ? (
          <ChainPicture
            chain={After}
            before={Before}
            title={`Changes of the discovery chain of ${Service}`}
          />
        ) : (
          <p>{why ?? 'There is no chain any more.'}</p>
        )}
      </div>
    ))}
  </div>
)

interface Saved {
  readonly text: string
  /** Index of its last change; 0 for a new entry. */
  readonly index: number
}

interface Props {
  readonly saved: Saved
  readonly query: Query
  readonly stored?: (text: string) => void
}

export const EntryForm = ({ saved, query, stored }: Props) => {
  const draft = useDraft({ text: saved.text }, saved.index)
  const { text } = draft.value
  const { result: tried, failure, isRunning, run } = useAction<DryRunResult>([text, draft.base])
  const isNew = saved.index === 0
  const edit = (changed: string): void => {
    if (changed !== text) draft.change({ text: changed })
  }
  // The text is sent unchanged, because the server validates it.
  const put = <T,>(more: Query, options: Pick<Write, 'reason' | 'signal'>) =>
    sendJson<T>('PUT', '/v1/config', { query: { ...query, ...more }, body: text, ...options })
  const tryIt = (): void => run(signal => put({ 'dry-run': true }, { signal }))
  const save = async (reason: string): Promise<void> => {
    if (!(await put<boolean>({ cas: draft.base }, { reason })))
      throw new Error(
        isNew
          ? 'There is an entry of this kind and name already: nothing was stored.'
          : 'Not saved: someone else changed it first.'
      )
    draft.discard()
    announce('Saved.')
    stored?.(text)
  }
  return (
    <section aria-label="Editor">
      <DraftEditor
        draft={draft}
        stored={{ text: saved.text }}
        save={save}
        isNew={isNew}
        actions={<Button label="Preview" act={tryIt} disabled={isRunning} />}
      >
        <SplitSliders text={text} change={edit} />
        <CodeEditor language="json" label="Entry" value={text} change={edit} />
      </DraftEditor>
      <Refusal text={failure} />
      {tried && <DryRunView tried={tried} />}
    </section>
  )
}
