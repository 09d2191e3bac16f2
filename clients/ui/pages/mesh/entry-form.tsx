// The editor of a configuration entry, with dry runs. It never overwrites concurrent changes.
import type { Schemas } from '../../../typescript/typed/index.js'
import { parseObject } from '../../../../events/values.js'
import { useId } from 'preact/hooks'
import type { Query } from '../../../typescript/connection.js'
import { announce, Button, CodeEditor, DraftEditor, Notice, Refusal } from '../../design/index.js'
import { useAction } from '../../session/use-response.js'
import { textOf, type Fields } from '../../resources/kind.js'
import type { PermissionTarget } from '../resource/resource-view.js'
import { type Write, sendJson } from '../send.js'
import { ChainPicture } from './chain-picture.js'
import { useDraft } from '../../session/draft.js'

export const OF_SERVICE = /^service-/

/** Returns the permission that writing an entry requires. */
export const permissionOf = ({ Kind, Name }: Fields): PermissionTarget => {
  if (Kind === 'service-intentions') return { resource: 'intention', segment: textOf(Name) }
  if (OF_SERVICE.test(textOf(Kind))) return { resource: 'service', segment: textOf(Name) }
  return { resource: Kind === 'mesh' ? 'mesh' : 'operator', segment: '' }
}

// Sliders for the weights of a service-splitter, whose sum stays 100 %.

type Split = Readonly<Record<string, unknown>>

const TOTAL = 100
/** Weights have two decimals. */
const PRECISION = 100

const rounded = (weight: number): number => Math.round(weight * PRECISION) / PRECISION

const weightOf = (split: Split): number => Number(split['Weight'] ?? 0)

/** Returns the weights after one changed: the others share the rest in their proportions. */
const rebalanced = (weights: readonly number[], at: number, weight: number): readonly number[] => {
  const rest = TOTAL - weight
  const before = weights.reduce((sum, each, place) => (place === at ? sum : sum + each), 0)
  const last = weights.findLastIndex((_, place) => place !== at)
  let left = rest
  return weights.map((each, place) => {
    if (place === at) return weight
    const share = before === 0 ? rest / (weights.length - 1) : (each / before) * rest
    const own = place === last ? left : Math.min(left, rounded(share))
    left = rounded(left - own)
    return rounded(own)
  })
}

/** Returns the splits of an entry in JSON; undefined if it is no splitter with several. */
const splitsIn = (
  text: string
): { readonly entry: object; readonly splits: readonly Split[] } | undefined => {
  const entry = parseObject(text) ?? {}
  const { Kind, Splits } = entry
  if (Kind !== 'service-splitter' || !Array.isArray(Splits) || Splits.length < 2) return undefined
  return { entry, splits: Splits.map(split => Object(split)) }
}

const targetOf = ({ Service, ServiceSubset, Namespace }: Split): string => {
  const [service, subset, ns] = [Service, ServiceSubset, Namespace].map(textOf)
  return [service || 'This service', subset && `subset ${subset}`, ns && `namespace ${ns}`]
    .filter(Boolean)
    .join(', ')
}

interface SlidersProps {
  /** The entry in JSON. */
  readonly text: string
  readonly change: (text: string) => void
}

const SplitSliders = ({ text, change }: SlidersProps) => {
  const id = useId()
  const found = splitsIn(text)
  if (!found) return null
  const { entry, splits } = found
  const set = (at: number, weight: number): void => {
    const weights = rebalanced(splits.map(weightOf), at, weight)
    const Splits = splits.map((split, place) => ({ ...split, Weight: weights[place] }))
    change(JSON.stringify({ ...entry, Splits }, undefined, 2))
  }
  return (
    <div role="group" aria-label="Weights" class="weights">
      {splits.map((split, at) => (
        <div key={at}>
          <label for={`${id}-${at}`}>{targetOf(split)}</label>
          <input
            id={`${id}-${at}`}
            type="range"
            max={TOTAL}
            value={weightOf(split)}
            onInput={({ currentTarget }) => set(at, currentTarget.valueAsNumber)}
          />
          <input
            type="number"
            aria-label={`Weight of ${targetOf(split)} in percent`}
            min={0}
            max={TOTAL}
            step={1 / PRECISION}
            value={weightOf(split)}
            onChange={({ currentTarget: { valueAsNumber } }) => {
              if (valueAsNumber >= 0 && valueAsNumber <= TOTAL) set(at, rounded(valueAsNumber))
            }}
          />
          %
        </div>
      ))}
    </div>
  )
}

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
