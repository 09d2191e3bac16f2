import type { Schemas } from '../../typescript/typed/index.js'
import { remoteCommand, type Run } from '../remote/command.js'
import { moment, on, text, integer, requiredMoment, optionalMoment } from '../remote/flags.js'
import { safe, timeText, type Content } from '../remote/output.js'
import { indexOf, pastMoment } from './moments.js'
import { patchText, readablePatch } from './patch-text.js'
import { originText, originTenancyText } from '../origin-text.js'
import { optionalTargetArguments, targetArguments, findTarget, readPathOf } from './history-targets.js'
import { UsageError, Failed } from '../console.js'
import { parseExact } from '../../exact-json.js'
import { entriesIn } from '../kv/entries.js'

type Version = Schemas['Version']

const noteOf = ({ Erased, Withheld, Base }: Version): string => {
  if (Erased) return '  (erased)'
  if (Withheld) return '  (withheld)'
  return Base ? '  (earlier versions were pruned)' : ''
}

const versionText =
  (topic: string, version: Version): Content =>
  look => {
    const { Index, Time = '', Type, By, Patch = [] } = version
    const origin = `${By ? `  ${originText(By)}` : ''}${noteOf(version)}`
    const head = `${Index}  ${timeText(Time, look)}  ${look.paint('bold', safe(Type))}${safe(origin)}`
    const patch = patchText(readablePatch(topic, Patch))
    return patch === '' ? head : `${head}\n${patch.replaceAll(/^/gm, '    ')}`
  }

export const history = remoteCommand({
  summary: 'Show the versions of a resource, newest first, with time, caller, reason and changes.',
  about:
    'Prints a line for each difference from the previous version: + added, - removed, ~ changed. Without --after, --limit selects\nthe newest versions.',
  examples: [
    'annals history kv web/port',
    'annals history policy deploys',
    'annals history -limit=100 config service-router/web',
    'annals history -after yesterday -reverse kv web/port   the versions since yesterday, oldest first',
    'annals history -node=web-1 service web'
  ],
  args: targetArguments,
  flags: {
    limit: integer('number', 'maximum of versions (default: 10, at most 1000)'),
    before: moment('only versions before this index, or up to this time'),
    after: moment('only the oldest versions after this index or time'),
    reverse: on('oldest first'),
    node: text('name', 'node of a service or check'),
    payload: on('include the payload of each version; needs --json')
  },
  isRead: true,
  run: async ({ get, read, out, args, flags }) => {
    const { topic, key } = await findTarget(get, args)
    const { limit, node, payload, reverse } = flags
    const [before, after] = await Promise.all([
      flags.before === undefined ? undefined : indexOf(read, flags.before, 1),
      flags.after === undefined ? undefined : indexOf(read, flags.after)
    ])
    const found = await read('/v1/event/history', { topic, key, limit, before, after, node, payload })
    out.show(reverse ? found.toReversed() : found, versions =>
      versions.map(version => versionText(topic, version))
    )
  }
})

export const at = remoteCommand({
  summary: 'Print a resource at a point in time.',
  about:
    'Prints the value of a key, and other resources as JSON. You need the permission to read the current resource.',
  examples: [
    'annals at kv web/port 42',
    'annals at kv web/port 1h',
    'annals at policy deploys "2026-01-31 12:00"'
  ],
  args: { ...targetArguments, moment: requiredMoment('point in time') },
  isRead: true,
  run: async ({ get, read, out, args, console }) => {
    const resource = await findTarget(get, args)
    const query = { at: await pastMoment(read, args.moment) }
    const body = await (await get(readPathOf(resource, args.kind), query)).text()
    if (out.isData || resource.topic !== 'KV') {
      out.data(parseExact(body))
      return
    }
    for (const { Value } of entriesIn(body)) out.bytes(Buffer.from(Value ?? '', 'base64'))
    console.out.write('\n')
  }
})

/** The differences of a key follow its name, because they are those of a list of keys. */
const withoutKey = (patch: Schemas['JsonPatch']): Schemas['JsonPatch'] =>
  patch.map(operation => ({ ...operation, path: operation.path.replace(/^\/[^/]*/, '') }))

const INDEX = 'X-Service-Index'

const newestOf = async (get: Run['get'], path: string): Promise<string> => {
  try {
    return (await get(path)).headers.get(INDEX) ?? ''
  } catch (error) {
    const headers = error instanceof Error && 'headers' in error ? error.headers : undefined
    const index = headers instanceof Headers ? headers.get(INDEX) : null
    if (index === null) throw error
    return index
  }
}

export const diff = remoteCommand({
  summary: 'Show the differences between two versions of a resource.',
  about:
    'Prints a line for each difference: + added, - removed, ~ changed. With --json it prints a JSON Patch (RFC 6902).',
  examples: [
    'annals diff kv web/port 42              from then to now',
    'annals diff kv web/port yesterday',
    'annals diff config service-router/web 2026-01-31T12:00:00Z 57'
  ],
  args: {
    ...targetArguments,
    from: requiredMoment('beginning of the comparison'),
    to: optionalMoment('end of the comparison (default: now)')
  },
  isRead: true,
  run: async ({ get, out, args }) => {
    const resource = await findTarget(get, args)
    const path = readPathOf(resource, args.kind)
    const to = args.to ?? (await newestOf(get, path))
    const patch = await (await get(path, { diff: `${args.from}..${to}` })).json<Schemas['JsonPatch']>()
    const shown = (found: Schemas['JsonPatch']): string =>
      patchText(readablePatch(resource.topic, resource.topic === 'KV' ? withoutKey(found) : found))
    out.show(patch, shown, 'No differences')
  }
})

type Reverted = Schemas['Reverted']

const headOf = ({ Index, Undone, To, Patch }: Reverted): string => {
  if (Index !== undefined) return `Success! Commit ${Index} undoes ${Undone}: restored the version of ${To}`
  if (Patch.length === 0) return `Nothing to change: this is the version of ${To}`
  return `Would undo ${Undone}, and restore the version of ${To}:`
}

const revertedText = (topic: string, reverted: Reverted): string =>
  [
    headOf(reverted),
    ...(reverted.Patch.length === 0 ? [] : [patchText(readablePatch(topic, reverted.Patch))]),
    ...reverted.Others.map(other => safe(`also ${other.Topic} ${other.Type}  ${originTenancyText(other)}`))
  ].join('\n')

interface RevertArguments {
  readonly kind: string
  readonly key: string
  readonly moment: string
}

/** @throws UsageError for a missing argument */
const whole = ({
  kind,
  key,
  moment: version
}: { readonly [Name in keyof RevertArguments]: string | undefined }): RevertArguments => {
  if (kind === undefined || key === undefined || version === undefined)
    throw new UsageError('a revert needs the kind and the key of a resource and a version, or --change-set')
  return { kind, key, moment: version }
}

export const revert = remoteCommand({
  summary: 'Restore a resource to an earlier version, by an ordinary write.',
  about:
    '`annals history` shows the indexes. A resource that did not exist then is deleted, and a deleted one is restored with its ID.\nWith --dry-run the exit code is 1 if the server would refuse the revert.',
  examples: [
    'annals revert -dry-run kv web/port 42',
    'annals revert kv web/port 1h                         to the version of an hour ago',
    'annals revert -reason="OPS-13: the new port is blocked" kv web/port 42',
    'annals revert -cas -modify-index=50 kv web/port 42   only if commit 50 is its last change',
    'annals revert -change-set ID                         all changes of annals apply'
  ],
  args: { ...optionalTargetArguments, moment: optionalMoment('version to restore') },
  flags: {
    changeSet: text('id', 'revert all changes of a change set, instead of one resource'),
    dryRun: on('change nothing, and show the changes'),
    cas: on('only if the resource has the --modify-index'),
    modifyIndex: integer('index', 'required index of its last change'),
    node: text('name', 'node of a service or check')
  },
  run: async run => {
    const { get, read, write, out, args: given, flags } = run
    const { dryRun, cas, modifyIndex, node, changeSet } = flags
    if (changeSet !== undefined) {
      if (given.kind !== undefined || cas || node !== undefined)
        throw new UsageError('--change-set stands in place of the arguments, --cas and --node')
      const { revertChangeSet } = await import('../changes/revert-change-set.js')
      return revertChangeSet(run, changeSet, dryRun)
    }
    const args = whole(given)
    if (cas !== (modifyIndex !== undefined)) throw new UsageError('--cas and --modify-index belong together')
    const { topic, key, isOnNode } = await findTarget(get, args)
    if (isOnNode && node === undefined)
      throw new UsageError(`--node is missing: on which node the ${args.kind} is`)
    const to = await indexOf(read, args.moment)
    const query = { topic, key, to, cas: modifyIndex, node, 'dry-run': dryRun }
    const reverted = await write('put', '/v1/event/revert', undefined, query)
    out.show(reverted, done => revertedText(topic, done))
    if (reverted.Refusal) throw new Failed(`this would be refused: ${reverted.Refusal.Message}`)
  }
})
