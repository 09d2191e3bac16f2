import { Failed, undefinedIfMissing } from '../failures.js'
import { remoteCommand } from '../remote/command.js'
import { edit } from '../remote/editor.js'
import { keyNames } from '../completion/sources.js'
import { required } from '../remote/flags.js'
import { UsageError } from '../console.js'
import { entryOf, keyOf, pathOf } from './entries.js'

const isJson = (text: string): boolean => {
  try {
    return typeof JSON.parse(text) === 'object'
  } catch {
    return false
  }
}

const BINARY = /[\uFFFD\0]/u

export const kvEdit = remoteCommand({
  summary: 'Edit the value of a key in $VISUAL, $EDITOR or vi.',
  about:
    'Prints the difference, and writes the value only if the key has not changed since. A value that was JSON must stay JSON.\nA missing key is created.',
  examples: ['annals kv edit web/config', 'EDITOR=nano annals kv edit web/config'],
  args: { key: required('the key', keyNames) },
  run: async ({ get, send, out, args, console }) => {
    const key = keyOf(args.key)
    const entry = await undefinedIfMissing(entryOf(get, key))
    const text = Buffer.from(entry?.Value ?? '', 'base64').toString()
    if (BINARY.test(text))
      throw new UsageError(`the value of "${key}" is no text: write it from a file, with @FILE`)
    const extension = isJson(text) ? '.json' : ''
    const problemOf = (edited: string): string | undefined =>
      extension !== '' && !isJson(edited) ? 'the value was JSON, and is none any more' : undefined
    const edited = await edit(console, { name: `${key}${extension}`, text, problemOf })
    if (edited === undefined) return
    const query = { cas: entry?.ModifyIndex ?? 0, flags: String(entry?.Flags ?? 0) }
    const answer = await send('PUT', pathOf(key), { query, body: edited })
    if (!(await answer.json<boolean>()))
      throw new Failed(`"${key}" was not written: it has changed since it was read`)
    out.note(`Success! Data written to: ${key}`)
  }
})
