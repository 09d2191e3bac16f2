// `annals kv export` and `annals kv import`, in the format of `consul kv export`.
import { rethrowAs } from '../../../events/errors.js'
import { stringify } from 'lossless-json'
import { UsageError, writeLines, hasStatus } from '../console.js'
import { arrayLines } from '../json-lines.js'
import { withProgress } from '../terminal.js'
import { remoteCommand, type Run } from '../remote/command.js'
import { CONTENT, textContent } from '../remote/content.js'
import { optional, text } from '../remote/flags.js'
import { parseExact } from '../../exact-json.js'
import { entriesBelow, keyOf } from './entries.js'

interface Exported {
  readonly key: string
  readonly flags: number | bigint
  /** Base64. */
  readonly value: string
}

/** Yields nothing if no key has the prefix. */
async function* exportedBelow(get: Run['get'], prefix: string): AsyncGenerator<Exported> {
  try {
    for await (const { Key, Flags, Value } of entriesBelow(get, prefix))
      yield { key: Key, flags: Flags, value: Value ?? '' }
  } catch (error) {
    if (!hasStatus(error, 404)) throw error
  }
}

export const kvExport = remoteCommand({
  summary: 'Print keys with their values and flags as JSON, for `annals kv import`.',
  about:
    'Reads pages of a thousand keys, so concurrent changes may be included in part. `annals snapshot save` reads one state.',
  examples: ['annals kv export > all.json', 'annals kv export web/ > web.json'],
  args: { prefix: optional('only keys with this prefix') },
  run: ({ get, console, args }) => {
    const exported = exportedBelow(get, keyOf(args.prefix ?? ''))
    return writeLines(
      console.out,
      arrayLines(exported, entry => `  ${stringify(entry) ?? ''}`)
    )
  }
})

const isFlags = (value: unknown): value is number | bigint =>
  typeof value === 'bigint'
    ? value >= 0n && value < 2n ** 64n
    : Number.isSafeInteger(value) && Number(value) >= 0

/** @throws UsageError */
const importable = (element: unknown, index: number): Exported => {
  const of = (name: string): unknown => Reflect.get(Object(element), name)
  const [key, flags, value] = [of('key'), of('flags') ?? 0, of('value') ?? '']
  if (typeof key !== 'string' || key === '')
    throw new UsageError(`element ${index}: "key" must be a text, not empty`)
  if (!isFlags(flags)) throw new UsageError(`element ${index}: "flags" must be a whole number below 2^64`)
  if (typeof value !== 'string') throw new UsageError(`element ${index}: "value" must be a text in Base64`)
  return { key, flags, value }
}

/** @param input as for `textContent` @throws UsageError */
export const readExport = async (input: string, console: Run['console']): Promise<readonly Exported[]> => {
  const content = await textContent(input, console)
  const fault = (message: string) => new UsageError(`the input is not JSON: ${message}`)
  const list = rethrowAs(() => parseExact(content), SyntaxError, fault)
  if (!Array.isArray(list)) throw new UsageError('what is to be imported is no list of keys')
  return list.map(importable)
}

/** Default limits of servers for one transaction; the size is in characters. */
const MOST = { count: 64, size: 512 * 1024 }

/** Groups elements within limits. An element that exceeds the size is a group by itself. */
export function* batchesOf<Element>(
  all: readonly Element[],
  most: typeof MOST,
  sizeOf: (element: Element) => number
): Generator<readonly Element[]> {
  let [batch, size]: [Element[], number] = [[], 0]
  for (const element of all) {
    const added = sizeOf(element)
    if (batch.length > 0 && (batch.length === most.count || size + added > most.size)) {
      yield batch
      ;[batch, size] = [[], 0]
    }
    batch.push(element)
    size += added
  }
  if (batch.length > 0) yield batch
}

const operationOf = ({ key, flags, value }: Exported, prefix: string) => ({
  KV: { Verb: 'set', Key: prefix + key, Flags: flags, Value: value }
})

export const kvImport = remoteCommand({
  summary: 'Import keys from the output of `annals kv export` or `consul kv export`.',
  about:
    'Invalid input changes nothing. The command writes groups of 64 keys, each atomically, and overwrites existing keys, so you can\nrepeat an incomplete import.',
  examples: ['annals kv import @all.json', 'annals kv export web/ | annals kv import -prefix=copy/ -'],
  args: { data: optional(`JSON; ${CONTENT} (default: standard input)`) },
  flags: { prefix: text('text', 'prefix for the name of each key') },
  run: async ({ send, out, console, flags, args }) => {
    const all = await readExport(args.data ?? '-', console)
    const prefix = flags.prefix ?? ''
    await withProgress(console, { task: 'import', total: all.length, unit: 'keys' }, async advance => {
      let done = 0
      for (const batch of batchesOf(all, MOST, ({ value }) => value.length)) {
        const body = stringify(batch.map(one => operationOf(one, prefix)))
        await send('PUT', '/v1/txn', { body, headers: { 'Content-Type': 'application/json' } })
        for (const { key } of batch) out.note(`Imported: ${prefix}${key}`)
        advance((done += batch.length))
      }
    })
  }
})
