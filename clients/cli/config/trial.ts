// What a write of a configuration entry would do, as the server tells it for a dry run.
import type { Run } from '../remote/command.js'
import type { Definition } from '../remote/definition.js'
import { fields } from '../remote/output.js'
import type { Named } from './entries.js'

interface KeyDifference {
  readonly Added: readonly string[]
  readonly Removed: readonly string[]
  readonly Changed: readonly string[]
}

interface ChainDifference {
  readonly Service: string
  readonly Namespace: string
  readonly Error?: string
  readonly Nodes: KeyDifference
  readonly Targets: KeyDifference
}

export interface Trial {
  readonly Outcome: 'stored' | 'unchanged' | 'stale' | 'refused'
  /** As it would be stored; null when nothing would be. */
  readonly Entry: Readonly<Record<string, unknown>> | null
  readonly Errors: readonly string[]
  readonly Chains: readonly ChainDifference[]
  /** Chains that may differ, too. */
  readonly Unchecked: number
}

/** Asks what the write would do. @param cas the ModifyIndex that the entry must have */
export const tryWrite = async (
  send: Run<unknown, unknown>['send'],
  definition: Definition,
  cas?: string
): Promise<Trial> =>
  (await send('PUT', '/v1/config', { query: { 'dry-run': true, cas }, body: definition })).json()

const keysText = ({ Added, Removed, Changed }: KeyDifference): string =>
  [
    ...Removed.map(key => `- ${key}`),
    ...Changed.map(key => `~ ${key}`),
    ...Added.map(key => `+ ${key}`)
  ].join(', ')

const chainText = ({ Service, Namespace, Error, Nodes, Targets }: ChainDifference): string => {
  const head = `The chain of ${Service} in namespace ${Namespace} ${Error === undefined ? 'changes' : 'breaks'}:`
  const about = fields([
    ['Error', Error],
    ['Nodes', keysText(Nodes)],
    ['Targets', keysText(Targets)]
  ])
  return `${head}\n${about.replaceAll(/^/gm, '  ')}`
}

const OUTCOMES = {
  stored: 'would be stored',
  unchanged: 'is stored as it is given: nothing would change',
  stale: 'would not be stored: its ModifyIndex is another',
  refused: 'would be refused:'
} as const

export const trialText = ({ kind, name }: Named, { Outcome, Errors, Chains, Unchecked }: Trial): string =>
  [
    `${kind}/${name} ${OUTCOMES[Outcome]}`,
    ...Errors.map(error => `  ${error}`),
    ...Chains.map(chainText),
    ...(Unchecked === 0 ? [] : [`${Unchecked} more chains may change and were not looked at`])
  ].join('\n')
