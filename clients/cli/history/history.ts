import type { Schemas } from '../../typescript/typed/index.js'
import { remoteCommand, type Run } from '../remote/command.js'
import { on, text, integer, required, optional } from '../remote/flags.js'
import { safe } from '../remote/output.js'
import { patchText, readablePatch } from './patch-text.js'
import { originText, originTenancyText } from '../origin-text.js'
import { targetArguments, findTarget, readPathOf } from './history-targets.js'
import { stringify } from 'lossless-json'
import { UsageError } from '../console.js'
import { parseExact } from '../../exact-json.js'
import { entriesIn } from '../kv/entries.js'
import { Failed } from '../failures.js'

type Version = Schemas['Version']

const noteOf = ({ Erased, Withheld, Base }: Version): string => {
  if (Erased) return '  (erased)'
  if (Withheld) return '  (withheld)'
  return Base ? '  (what was before is no longer kept)' : ''
}

const versionText = (topic: string, version: Version): string => {
  const { Index, Time = '', Type, By, Patch = [] } = version
  const head = safe(`${Index}  ${Time}  ${Type}${By ? `  ${originText(By)}` : ''}${noteOf(version)}`)
  const patch = patchText(readablePatch(topic, Patch))
  return patch === '' ? head : `${head}\n${patch.replaceAll(/^/gm, '    ')}`
}

export const history = remoteCommand({
  summary: 'Show the versions of a resource, newest first, with time, caller, reason and changes.',
  about: 'Prints a line for each difference from the previous version: + added, - removed, ~ changed.',
  examples: [
    'annals history kv web/port',
    'annals history policy deploys',
    'annals history -limit=100 config service-router/web',
    'annals history -node=web-1 service web'
  ],
  args: targetArguments,
  flags: {
    limit: integer('number', 'maximum of versions (default: 10, at most 1000)'),
    before: integer('index', 'only versions before this index'),
    after: integer('index', 'only the oldest versions after this index'),
    node: text('name', 'node of a service or check'),
    payload: on('include the payload of each version; needs --json')
  },
  run: async ({ get, read, out, args, flags }) => {
    const { topic, key } = await findTarget(get, args)
    const { limit, before, after, node, payload } = flags
    const query = { topic, key, limit, before, after, node, payload }
    out.show(await read('/v1/event/history', query), versions =>
      versions.map(version => versionText(topic, version)).join('\n')
    )
  }
})

const MOMENT = 'index of a commit, or a time such as 2026-01-31T12:00:00Z'

export const at = remoteCommand({
  summary: 'Print a resource at a point in time.',
  about:
    'Prints the value of a key, and other resources as JSON. You need the permission to read the current resource.',
  examples: ['annals at kv web/port 42', 'annals at policy deploys 2026-01-31T12:00:00Z'],
  args: { ...targetArguments, moment: required(MOMENT) },
  run: async ({ get, out, args, console }) => {
    const resource = await findTarget(get, args)
    const body = await (await get(readPathOf(resource, args.kind), { at: args.moment })).text()
    if (out.isJson || resource.topic !== 'KV') {
      out.print(stringify(parseExact(body), undefined, 2) ?? '')
      return
    }
    for (const { Value } of entriesIn(body)) out.bytes(Buffer.from(Value ?? '', 'base64'))
    console.out.write('\n')
  }
})

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
    'annals diff config service-router/web 2026-01-31T12:00:00Z 57'
  ],
  args: { ...targetArguments, from: required(MOMENT), to: optional('end of the comparison (default: now)') },
  run: async ({ get, out, args }) => {
    const resource = await findTarget(get, args)
    const path = readPathOf(resource, args.kind)
    if ([args.from, args.to].some(moment => moment?.includes('..')))
      throw new UsageError('the beginning and the end are two arguments')
    const to = args.to ?? (await newestOf(get, path))
    out.show(await (await get(path, { diff: `${args.from}..${to}` })).json<Schemas['JsonPatch']>(), patch =>
      patchText(readablePatch(resource.topic, patch))
    )
  }
})

type Reverted = Schemas['Reverted']

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
  summary: 'Restore a resource to an earlier version, by an ordinary write.',
  about:
    '`annals history` shows the indexes. A resource that did not exist then is deleted, and a deleted one is restored with its ID.\nWith --dry-run the exit code is 1 if the server would refuse the revert.',
  examples: [
    'annals revert -dry-run kv web/port 42',
    'annals revert -reason="OPS-13: the new port is blocked" kv web/port 42',
    'annals revert -cas -modify-index=50 kv web/port 42   only if commit 50 is its last change'
  ],
  args: { ...targetArguments, index: required('index of the commit') },
  flags: {
    dryRun: on('change nothing, and show the changes'),
    cas: on('only if the resource has the --modify-index'),
    modifyIndex: integer('index', 'required index of its last change'),
    node: text('name', 'node of a service or check')
  },
  run: async ({ get, write, out, args, flags }) => {
    const { dryRun, cas, modifyIndex, node } = flags
    if (cas !== (modifyIndex !== undefined)) throw new UsageError('--cas and --modify-index belong together')
    const { topic, key, isOnNode } = await findTarget(get, args)
    if (isOnNode && node === undefined)
      throw new UsageError(`--node is missing: on which node the ${args.kind} is`)
    const query = { topic, key, to: args.index, cas: modifyIndex, node, 'dry-run': dryRun }
    const reverted = await write('put', '/v1/event/revert', undefined, query)
    out.show(reverted, done => revertedText(topic, done))
    if (reverted.Refusal) throw new Failed(`this would be refused: ${reverted.Refusal.Message}`)
  }
})
