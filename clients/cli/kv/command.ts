import { parseJson } from '../../../events/values.js'
import { group, remoteCommand } from '../remote/command.js'
import { kvExport, kvImport } from './transfer.js'
import { UsageError, Failed, undefinedIfMissing } from '../console.js'
import { required, on, optional, text, integer, casOf } from '../remote/flags.js'
import { DELETION, deleteIfPresent, deletionFlags } from '../remote/deletion.js'
import { details, safe } from '../remote/output.js'
import { entriesBelow, entryOf, keyOf, keysBelow, pathOf, type Entry } from './entries.js'
import { keyNames } from '../completion/sources.js'
import { CONTENT, contentOf } from '../remote/content.js'
import { edit } from '../remote/editor.js'

const MODIFY_INDEX = 'required ModifyIndex; 0 if the key must not exist'

const staleText = (cas: string): string =>
  cas === '0' ? 'it exists already' : `its ModifyIndex is not ${cas}`

/** Decodes Base64, which may have line breaks. @throws UsageError */
const bytesOfBase64 = (input: string): Buffer => {
  const encoded = input.replaceAll(/\s/g, '')
  const bytes = Buffer.from(encoded, 'base64')
  if (bytes.toString('base64') !== encoded) throw new UsageError('the value is not Base64')
  return bytes
}

const kvPut = remoteCommand({
  summary: 'Write a key.',
  about: 'The exit code is 1 if the condition of --cas, --acquire or --release fails.',
  examples: [
    'annals kv put web/port 8080',
    'annals kv put web/config @config.json',
    'annals kv put -cas -modify-index=43 web/port 8081   only if it has not changed since',
    'echo secret | annals kv put web/password -'
  ],
  args: { key: required('the key', keyNames), value: optional(`its value; ${CONTENT}`) },
  flags: {
    flags: integer('number', 'number that is stored with the key'),
    base64: on('the value is in Base64'),
    cas: on('only if the key has the --modify-index'),
    modifyIndex: integer('index', MODIFY_INDEX),
    acquire: on('acquire the lock of the key for --session'),
    release: on('release the lock of the key'),
    session: text('id', 'session of --acquire and --release')
  },
  run: async ({ send, out, flags, args, console }) => {
    const key = keyOf(args.key)
    const cas = casOf(flags)
    const { acquire, release, session } = flags
    if ((acquire || release) && session === undefined)
      throw new UsageError('--acquire and --release need --session')
    if (session !== undefined && !acquire && !release)
      throw new UsageError('--session has no effect without --acquire or --release')
    if (Number(acquire) + Number(release) + Number(cas !== undefined) > 1)
      throw new UsageError('--cas, --acquire and --release exclude each other')
    if (args.value === undefined && !acquire && !release)
      throw new UsageError('the value is missing; "" stores an empty value')
    const content = await contentOf(args.value ?? '', console)
    const query = {
      flags: flags.flags,
      cas,
      acquire: acquire ? session : undefined,
      release: release ? session : undefined
    }
    const body = flags.base64 ? bytesOfBase64(content.toString()) : content
    const answer = await send('PUT', pathOf(key), { query, body: new Uint8Array(body) })
    if (!(await answer.json<boolean>())) {
      const why = cas === undefined ? 'another session holds it' : staleText(cas)
      throw new Failed(
        acquire || release
          ? `the lock of "${key}" was not ${acquire ? 'acquired' : 'released'}: ${acquire ? why : 'this session does not hold it'}`
          : `"${key}" was not written: ${why}`
      )
    }
    const deed = acquire ? 'Lock acquired on' : release ? 'Lock released on' : 'Data written to'
    out.note(`Success! ${deed}: ${key}`)
  }
})

const kvDelete = remoteCommand({
  summary: 'Delete a key, or all keys with a prefix.',
  about: `${DELETION} The exit code is 1 if the condition of --cas fails.`,
  examples: ['annals kv delete web/port', 'annals kv delete -recurse web/'],
  args: { key: required('the key; with --recurse a prefix', keyNames) },
  flags: {
    recurse: on('all keys that begin with this one'),
    cas: on('only if the key has the --modify-index'),
    modifyIndex: integer('index', 'required ModifyIndex'),
    ...deletionFlags
  },
  run: async run => {
    const { get, send, flags, args } = run
    const key = keyOf(args.key)
    const cas = casOf(flags)
    if (flags.cas && flags.recurse) throw new UsageError('--cas and --recurse exclude each other')
    if (cas === '0') throw new UsageError('--cas needs --modify-index')
    await deleteIfPresent(run, flags.recurse ? `a key below "${key}"` : `key "${key}"`, async () => {
      await get(pathOf(key), flags.recurse ? { keys: true, limit: 1 } : {})
      const answer = await send('DELETE', pathOf(key), { query: { recurse: flags.recurse, cas } })
      if (!(await answer.json<boolean>()))
        throw new Failed(`"${key}" was not deleted: its ModifyIndex is not ${cas ?? ''}`)
      return flags.recurse ? `Success! Deleted keys with prefix: ${key}` : `Success! Deleted key: ${key}`
    })
  }
})

interface Shown {
  readonly detailed: boolean
  readonly base64: boolean
}

const valueOf = ({ Value }: Entry, { base64 }: Shown): string =>
  base64 ? (Value ?? '') : Buffer.from(Value ?? '', 'base64').toString()

const entryText = (entry: Entry, shown: Shown): string =>
  details(['CreateIndex', 'Flags', 'Key', 'LockIndex', 'ModifyIndex', 'Session', 'Value'], {
    Session: '-',
    ...entry,
    Value: valueOf(entry, shown)
  })

async function* texts(entries: AsyncIterable<Entry>, shown: Shown): AsyncGenerator<string> {
  let isFirst = true
  for await (const entry of entries) {
    if (shown.detailed) {
      if (!isFirst) yield ''
      yield entryText(entry, shown)
    } else yield `${safe(entry.Key)}:${valueOf(entry, shown)}`
    isFirst = false
  }
}

const kvGet = remoteCommand({
  summary: 'Print the value of a key, or all keys with a prefix.',
  about: 'Prints the value unchanged, followed by a line feed. The exit code is 1 if the key does not exist.',
  examples: [
    'annals kv get web/port',
    'annals kv get -recurse web/        key:value lines of all keys below web/',
    'annals kv get -keys -separator=/ web/',
    'annals kv get -detailed web/port   with its indexes, flags and lock'
  ],
  args: { key: required('the key; with --recurse or --keys a prefix', keyNames) },
  flags: {
    recurse: on('all keys that begin with this one'),
    keys: on('only their names'),
    separator: text('text', 'cut names after the first occurrence of this text that follows the prefix'),
    detailed: on('all fields of each key'),
    base64: on('the value in Base64')
  },
  isRead: true,
  run: async ({ get, out, console, flags, args }) => {
    const key = keyOf(args.key)
    if (flags.keys) return await out.stream(keysBelow(get, key, flags.separator), { asTexts: keys => keys })
    if (flags.recurse) return await out.stream(entriesBelow(get, key), { asTexts: all => texts(all, flags) })
    const entry = await entryOf(get, key)
    if (!entry) return
    if (out.isData) out.data(entry)
    else if (flags.detailed) out.print(entryText(entry, flags))
    else if (flags.base64) out.print(entry.Value ?? '')
    else {
      out.bytes(Buffer.from(entry.Value ?? '', 'base64'))
      console.out.write('\n')
    }
  }
})

const kvList = remoteCommand({
  summary: 'Print the names of keys.',
  examples: ['annals kv list', 'annals kv list -separator=/ web/   one folder of it'],
  args: { prefix: optional('only keys with this prefix', keyNames) },
  flags: {
    separator: text('text', 'cut names after the first occurrence of this text that follows the prefix')
  },
  isRead: true,
  run: ({ get, out, args, flags }) =>
    out.stream(keysBelow(get, keyOf(args.prefix ?? ''), flags.separator), { asTexts: keys => keys })
})

const isJson = (value: string): boolean => typeof parseJson(value) === 'object'

const BINARY = /[\uFFFD\0]/u

const kvEdit = remoteCommand({
  summary: 'Edit the value of a key in $VISUAL, $EDITOR or vi.',
  about:
    'Prints the difference, and writes the value only if the key has not changed since. A value that was JSON must stay JSON.\nA missing key is created.',
  examples: ['annals kv edit web/config', 'EDITOR=nano annals kv edit web/config'],
  args: { key: required('the key', keyNames) },
  run: async ({ get, send, out, args, console }) => {
    const key = keyOf(args.key)
    const entry = await undefinedIfMissing(entryOf(get, key))
    const stored = Buffer.from(entry?.Value ?? '', 'base64').toString()
    if (BINARY.test(stored))
      throw new UsageError(`the value of "${key}" is not text: write it from a file, with @FILE`)
    const extension = isJson(stored) ? '.json' : ''
    const problemOf = (edited: string): string | undefined =>
      extension !== '' && !isJson(edited) ? 'the value was JSON, and the edited text is not' : undefined
    const edited = await edit(console, { name: `${key}${extension}`, text: stored, problemOf })
    if (edited === undefined) return
    const query = { cas: entry?.ModifyIndex ?? 0, flags: String(entry?.Flags ?? 0) }
    const answer = await send('PUT', pathOf(key), { query, body: edited })
    if (!(await answer.json<boolean>()))
      throw new Failed(`"${key}" was not written: it has changed since it was read`)
    out.note(`Success! Data written to: ${key}`)
  }
})

export const kv = group({
  summary: 'Read and write keys.',
  examples: [
    'annals kv put web/port 8080',
    'annals kv get web/port',
    'annals kv get -recurse web/',
    'annals kv export web/ > web.json'
  ],
  commands: {
    get: kvGet,
    put: kvPut,
    edit: kvEdit,
    delete: kvDelete,
    list: kvList,
    export: kvExport,
    import: kvImport
  }
})
