// `annals kv get` and `annals kv list`
import { stringify } from 'lossless-json'
import { writeLines } from '../console.js'
import { needed, on, optional, text } from '../remote/flags.js'
import { remoteCommand, type Run } from '../remote/command.js'
import { fields, safe } from '../remote/output.js'
import { entriesBelow, entryOf, keyOf, keysBelow, type Entry } from './entries.js'

interface Shown {
  readonly detailed: boolean
  readonly base64: boolean
}

const valueOf = ({ Value }: Entry, { base64 }: Shown): string =>
  base64 ? (Value ?? '') : Buffer.from(Value ?? '', 'base64').toString()

const details = (entry: Entry, shown: Shown): string =>
  fields([
    ['CreateIndex', entry.CreateIndex],
    ['Flags', entry.Flags],
    ['Key', entry.Key],
    ['LockIndex', entry.LockIndex],
    ['ModifyIndex', entry.ModifyIndex],
    ['Session', entry.Session ?? '-'],
    ['Value', valueOf(entry, shown)]
  ])

async function* texts(entries: AsyncIterable<Entry>, shown: Shown): AsyncGenerator<string> {
  let isFirst = true
  for await (const entry of entries) {
    if (shown.detailed) {
      if (!isFirst) yield ''
      yield details(entry, shown)
    } else yield `${safe(entry.Key)}:${valueOf(entry, shown)}`
    isFirst = false
  }
}

/** The elements of a list of JSON, one after another. */
async function* listed<Element>(elements: AsyncIterable<Element>): AsyncGenerator<string> {
  let before: string | undefined
  for await (const element of elements) {
    yield before === undefined ? '[' : `${before},`
    before = (stringify(element, undefined, 2) ?? 'null').replaceAll(/^/gm, '  ')
  }
  yield before === undefined ? '[]' : `${before}\n]`
}

type Printing = Pick<Run<unknown, unknown>, 'out' | 'console'>

const printAll = <Element>(
  { out, console }: Printing,
  elements: AsyncIterable<Element>,
  asTexts: (elements: AsyncIterable<Element>) => AsyncIterable<string>
): Promise<void> => writeLines(console.out, out.isJson ? listed(elements) : asTexts(elements))

export const kvGet = remoteCommand({
  summary: 'Print the value of a key, or what stands below a prefix.',
  about: 'The value is printed as it is, with a line feed behind it. Ends with 1 when there is no such key.',
  examples: [
    'annals kv get web/port',
    'annals kv get -recurse web/        key:value lines of all keys below web/',
    'annals kv get -keys -separator=/ web/',
    'annals kv get -detailed web/port   with its indexes, flags and lock'
  ],
  args: { key: needed('the key; with --recurse or --keys a prefix') },
  flags: {
    recurse: on('all keys that begin with this one'),
    keys: on('only their names'),
    separator: text('text', 'cut names after this text where it first stands behind the prefix'),
    detailed: on('all that is known of each'),
    base64: on('the value in Base64')
  },
  run: async run => {
    const { get, out, console, flags, args } = run
    const key = keyOf(args.key)
    if (flags.keys) return await printAll(run, keysBelow(get, key, flags.separator), keys => keys)
    if (flags.recurse) return await printAll(run, entriesBelow(get, key), all => texts(all, flags))
    const entry = await entryOf(get, key)
    if (!entry) return
    if (out.isJson) out.print(stringify(entry, undefined, 2) ?? '')
    else if (flags.detailed) out.print(details(entry, flags))
    else if (flags.base64) out.print(entry.Value ?? '')
    else {
      out.bytes(Buffer.from(entry.Value ?? '', 'base64'))
      console.out.write('\n')
    }
  }
})

export const kvList = remoteCommand({
  summary: 'Print the names of keys.',
  examples: ['annals kv list', 'annals kv list -separator=/ web/   one folder of it'],
  args: { prefix: optional('only those that begin with it') },
  flags: { separator: text('text', 'cut names after this text where it first stands behind the prefix') },
  run: run => {
    const prefix = keyOf(run.args.prefix ?? '')
    return printAll(run, keysBelow(run.get, prefix, run.flags.separator), keys => keys)
  }
})
