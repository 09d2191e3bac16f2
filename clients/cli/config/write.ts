// `annals config write`, `annals config diff` and `annals config delete`
import { createPatch } from 'rfc6902'
import { UsageError } from '../console.js'
import { Failed } from '../failures.js'
import { casOf } from '../remote/cas.js'
import { remoteCommand } from '../remote/command.js'
import { DEFINITION, definitionIn } from '../remote/definition.js'
import { needed, on, optional, text, whole } from '../remote/flags.js'
import { undefinedIfMissing } from '../remote/undefined-if-missing.js'
import { patchText } from '../remote/patch-text.js'
import { namedBy, namedIn, naming, pathOf } from './entries.js'
import type { Run } from '../remote/command.js'
import type { Definition } from '../remote/definition.js'
import { fields } from '../remote/output.js'
import type { Named } from './entries.js'

/** What a write of a configuration entry would do, as the server tells it for a dry run. */
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

interface ConfigDryRun {
  readonly Outcome: 'stored' | 'unchanged' | 'stale' | 'refused'
  /** As it would be stored; null when nothing would be. */
  readonly Entry: Readonly<Record<string, unknown>> | null
  readonly Errors: readonly string[]
  readonly Chains: readonly ChainDifference[]
  /** Chains that may differ, too. */
  readonly Unchecked: number
}

/** Asks what the write would do. @param cas the ModifyIndex that the entry must have */
const dryRunWrite = async (
  send: Run<unknown, unknown>['send'],
  definition: Definition,
  cas?: string
): Promise<ConfigDryRun> =>
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

const dryRunText = ({ kind, name }: Named, { Outcome, Errors, Chains, Unchecked }: ConfigDryRun): string =>
  [
    `${kind}/${name} ${OUTCOMES[Outcome]}`,
    ...Errors.map(error => `  ${error}`),
    ...Chains.map(chainText),
    ...(Unchecked === 0 ? [] : [`${Unchecked} more chains may change and were not looked at`])
  ].join('\n')

const casFlags = {
  cas: on('only if the entry has not changed: see --modify-index'),
  modifyIndex: whole('index', 'the ModifyIndex that the entry must have; 0 when it must not exist')
}

export const configWrite = remoteCommand({
  summary: 'Store a configuration entry.',
  about:
    'With --dry-run nothing is stored: it tells everything that stands against the write, and which discovery chains would change;\nwith --json also those chains before and after. It ends with 1 when the entry would not be stored.',
  examples: [
    'annals config write web-router.hcl',
    'annals config write -dry-run web-router.hcl',
    `echo '{"Kind":"service-defaults","Name":"web","Protocol":"http"}' | annals config write -`
  ],
  args: { file: needed(DEFINITION) },
  flags: { ...casFlags, dryRun: on('store nothing; tell what would change') },
  run: async ({ send, out, flags, args, console }) => {
    const definition = await definitionIn(args.file, console)
    const named = namedIn(definition)
    const called = `${named.kind}/${named.name}`
    const cas = casOf(flags)
    if (flags.dryRun) {
      const trial = await dryRunWrite(send, definition, cas)
      out.show(trial, tried => dryRunText(named, tried))
      if (trial.Entry === null && trial.Outcome !== 'unchanged')
        throw new Failed(`${called} would not be stored`)
      return
    }
    const answer = await send('PUT', '/v1/config', { query: { cas }, body: definition })
    if (!(await answer.json<boolean>()))
      throw new Failed(`${called} was not stored: its ModifyIndex is another`)
    out.done(`Config entry written: ${called}`)
  }
})

type Entry = Readonly<Record<string, unknown>>

/** What two forms of an entry differ in counts, not when they were stored. */
const content = ({ CreateIndex: _made, ModifyIndex: _changed, ...entry }: Entry): Entry => entry

export const configDiff = remoteCommand({
  summary: 'Compare a configuration entry in a file with the one that is stored.',
  about:
    'A line for each difference, with the defaults filled in: + what would be added, - removed, ~ changed. It ends with 1 when they differ.',
  examples: ['annals config diff web-router.hcl'],
  args: { file: needed(DEFINITION) },
  run: async ({ read, send, out, args, console }) => {
    const definition = await definitionIn(args.file, console)
    const named = namedIn(definition)
    const [stored, trial] = await Promise.all([
      undefinedIfMissing(read<Entry>(pathOf(named))),
      dryRunWrite(send, definition)
    ])
    const before = stored && content(stored)
    if (trial.Outcome === 'refused') throw new Failed(trial.Errors.join('; '))
    const patch = trial.Entry ? createPatch(before ?? {}, content(trial.Entry)) : []
    out.show(patch, patchText)
    if (patch.length > 0)
      throw new Failed(
        `${named.kind}/${named.name} ${before ? 'differs from what is stored' : 'is not stored yet'}`
      )
  }
})

export const configDelete = remoteCommand({
  summary: 'Delete a configuration entry.',
  about:
    'One that is not there is no error. Ends with 1, and deletes nothing, when the condition of --cas does not hold.',
  examples: [
    'annals config delete -kind service-router -name web',
    'annals config delete -cas -modify-index=42 service-router/web',
    'annals config delete -filename web-router.hcl'
  ],
  args: { entry: optional('KIND/NAME, in place of the flags') },
  flags: { ...naming, filename: text('file', 'file with the entry, in place of both'), ...casFlags },
  run: async ({ send, out, flags, args, console }) => {
    const { filename } = flags
    const cas = casOf(flags)
    if (cas === '0') throw new UsageError('--cas needs --modify-index')
    if (
      filename !== undefined &&
      (args.entry !== undefined || flags.kind !== undefined || flags.name !== undefined)
    )
      throw new UsageError('--filename stands in place of KIND/NAME, --kind and --name')
    const named =
      filename === undefined ? namedBy(flags, args.entry) : namedIn(await definitionIn(filename, console))
    const called = `${named.kind}/${named.name}`
    const answer = await send('DELETE', pathOf(named), { query: { cas } })
    if ((await answer.json()) === false)
      throw new Failed(`${called} was not deleted: its ModifyIndex is another`)
    out.done(`Config entry deleted: ${called}`)
  }
})
