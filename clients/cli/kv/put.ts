// `annals kv put` and `annals kv delete`
import { UsageError } from '../console.js'
import { Failed } from '../failures.js'
import { casOf } from '../remote/cas.js'
import { remoteCommand } from '../remote/command.js'
import { CONTENT, contentOf } from '../remote/content.js'
import { needed, on, optional, text, whole } from '../remote/flags.js'
import { keyOf, pathOf } from './entries.js'

const MODIFY_INDEX = 'the ModifyIndex that the key must have; 0 when it must not exist'

const staleText = (cas: string): string =>
  cas === '0' ? 'it exists already' : `its ModifyIndex is not ${cas}`

export const kvPut = remoteCommand({
  summary: 'Write a key.',
  about:
    'Ends with 1, and changes nothing, when the condition of --cas, --acquire or --release does not hold.',
  examples: [
    'annals kv put web/port 8080',
    'annals kv put web/config @config.json',
    'annals kv put -cas -modify-index=43 web/port 8081   only if nobody has changed it',
    'echo secret | annals kv put web/password -'
  ],
  args: { key: needed('the key'), value: optional(`its value; ${CONTENT} (default: empty)`) },
  flags: {
    flags: whole('number', 'a number of your own, kept with the key'),
    base64: on('the value is given in Base64'),
    cas: on('write only if the key has not changed: see --modify-index'),
    modifyIndex: whole('index', MODIFY_INDEX),
    acquire: on('take the lock of the key for --session'),
    release: on('give it back'),
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
    const content = await contentOf(args.value ?? '', console)
    const query = {
      flags: flags.flags,
      cas,
      acquire: acquire ? session : undefined,
      release: release ? session : undefined
    }
    const body = flags.base64 ? Buffer.from(content.toString(), 'base64') : content
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
    out.done(`Success! ${deed}: ${key}`)
  }
})

export const kvDelete = remoteCommand({
  summary: 'Delete a key, or all below a prefix.',
  about:
    'A key that is not there is no error. Ends with 1, and changes nothing, when the condition of --cas does not hold.',
  examples: ['annals kv delete web/port', 'annals kv delete -recurse web/'],
  args: { key: needed('the key; with --recurse a prefix') },
  flags: {
    recurse: on('all keys that begin with this one'),
    cas: on('delete only if the key has not changed: see --modify-index'),
    modifyIndex: whole('index', 'the ModifyIndex that the key must have')
  },
  run: async ({ send, out, flags, args }) => {
    const key = keyOf(args.key)
    const cas = casOf(flags)
    if (flags.cas && flags.recurse) throw new UsageError('--cas and --recurse exclude each other')
    if (cas === '0') throw new UsageError('--cas needs --modify-index')
    const answer = await send('DELETE', pathOf(key), { query: { recurse: flags.recurse, cas } })
    if (!(await answer.json<boolean>()))
      throw new Failed(`"${key}" was not deleted: its ModifyIndex is not ${cas ?? ''}`)
    out.done(flags.recurse ? `Success! Deleted keys with prefix: ${key}` : `Success! Deleted key: ${key}`)
  }
})
