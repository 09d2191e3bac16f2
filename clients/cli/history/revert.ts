// `annals revert`
import { UsageError } from '../console.js'
import { Failed } from '../failures.js'
import { remoteCommand } from '../remote/command.js'
import { needed, on, text, whole } from '../remote/flags.js'
import { safe } from '../remote/output.js'
import { patchText, type PatchOperation } from '../remote/patch-text.js'
import { originTenancyText } from '../origin-text.js'
import { readablePatch } from './patch-view.js'
import { targetArguments, findTarget } from './history-targets.js'

interface Reverted {
  /** Absent when nothing was to be changed, and in a dry run. */
  readonly Index?: number
  readonly Undone: number
  readonly To: number
  readonly Patch: readonly PatchOperation[]
  readonly Others: readonly {
    readonly Topic: string
    readonly Type: string
    readonly Key: string
    readonly Namespace: string
    readonly Partition: string
  }[]
  readonly Refusal?: { readonly Status: number; readonly Message: string }
}

const headOf = ({ Index, Undone, To, Patch }: Reverted): string => {
  if (Index !== undefined)
    return `Success! Commit ${Index} undoes ${Undone}: it is again what it was at ${To}`
  if (Patch.length === 0) return `Nothing to change: it is what it was at ${To}`
  return `Would undo ${Undone}, and make of it again what it was at ${To}:`
}

const revertedText = (topic: string, reverted: Reverted): string =>
  [
    headOf(reverted),
    ...(reverted.Patch.length === 0 ? [] : [patchText(readablePatch(topic, reverted.Patch))]),
    ...reverted.Others.map(other => safe(`also ${other.Topic} ${other.Type}  ${originTenancyText(other)}`))
  ].join('\n')

export const revert = remoteCommand({
  summary: 'Restore a resource to its version after a commit, by an ordinary write.',
  about:
    '`annals history` tells the indexes. What did not exist then is deleted, and what was deleted comes back with its ID.\nWith --dry-run it ends with 1 when the revert would be refused.',
  examples: [
    'annals revert -dry-run kv web/port 42',
    'annals revert -reason="OPS-13: the new port is blocked" kv web/port 42',
    'annals revert -cas -modify-index=50 kv web/port 42   only if commit 50 is its last change'
  ],
  args: { ...targetArguments, index: needed('index of the commit') },
  flags: {
    dryRun: on('change nothing; tell what would change'),
    cas: on('only if nothing has changed it since: see --modify-index'),
    modifyIndex: whole('index', 'the commit that must be its last change'),
    node: text('name', 'of a service or check: on which node')
  },
  run: async ({ read, send, out, args, flags }) => {
    const { dryRun, cas, modifyIndex, node } = flags
    if (cas !== (modifyIndex !== undefined)) throw new UsageError('--cas and --modify-index belong together')
    const { topic, key, isOnNode } = await findTarget(read, args)
    if (isOnNode && node === undefined)
      throw new UsageError(`--node is missing: on which node the ${args.kind} is`)
    const query = { topic, key, to: args.index, cas: modifyIndex, node, 'dry-run': dryRun }
    const reverted = await (await send('PUT', '/v1/event/revert', { query })).json<Reverted>()
    out.show(reverted, done => revertedText(topic, done))
    if (reverted.Refusal) throw new Failed(`this would be refused: ${reverted.Refusal.Message}`)
  }
})
