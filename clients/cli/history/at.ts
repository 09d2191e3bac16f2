// `annals at` and `annals diff`
import { stringify } from 'lossless-json'
import { UsageError } from '../console.js'
import { entriesIn, exactJson } from '../kv/entries.js'
import { remoteCommand, type Run } from '../remote/command.js'
import { needed, optional } from '../remote/flags.js'
import { patchText, type PatchOperation } from '../remote/patch-text.js'
import { readablePatch } from './patch-view.js'
import { readPathOf, targetArguments, findTarget } from './history-targets.js'

const MOMENT = 'index of a commit, or a time such as 2026-01-31T12:00:00Z'

export const at = remoteCommand({
  summary: 'Print a resource at a point in time.',
  about:
    'Prints the value of a key, and other resources as JSON. You need the permission to read the current resource.',
  examples: ['annals at kv web/port 42', 'annals at policy deploys 2026-01-31T12:00:00Z'],
  args: { ...targetArguments, moment: needed(MOMENT) },
  run: async ({ get, read, out, args, console }) => {
    const resource = await findTarget(read, args)
    const text = await (await get(readPathOf(resource, args.kind), { at: args.moment })).text()
    if (out.isJson || resource.topic !== 'KV') {
      out.print(stringify(exactJson(text), undefined, 2) ?? '')
      return
    }
    for (const { Value } of entriesIn(text)) out.bytes(Buffer.from(Value ?? '', 'base64'))
    console.out.write('\n')
  }
})

const INDEX = 'X-Service-Index'

/** Index of the newest commit that an answer about a path takes into account. */
const newestOf = async (get: Run<unknown, unknown>['get'], path: string): Promise<string> => {
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
  summary: 'Show how a resource differs between a commit or time and now, or between two of them.',
  about: 'A line for each difference: + added, - removed, ~ changed; with --json a JSON Patch (RFC 6902).',
  examples: [
    'annals diff kv web/port 42              from then to now',
    'annals diff config service-router/web 2026-01-31T12:00:00Z 57'
  ],
  args: { ...targetArguments, from: needed(MOMENT), to: optional('the same, of the end (default: now)') },
  run: async ({ get, read, out, args }) => {
    const resource = await findTarget(read, args)
    const path = readPathOf(resource, args.kind)
    if ([args.from, args.to].some(moment => moment?.includes('..')))
      throw new UsageError('the beginning and the end are two arguments')
    const to = args.to ?? (await newestOf(get, path))
    out.show(await read<readonly PatchOperation[]>(path, { diff: `${args.from}..${to}` }), patch =>
      patchText(readablePatch(resource.topic, patch))
    )
  }
})
