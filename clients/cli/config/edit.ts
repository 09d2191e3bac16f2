import { messageOf } from '../../../events/errors.js'
import { Failed, undefinedIfMissing } from '../failures.js'
import { remoteCommand } from '../remote/command.js'
import { parseDefinition } from '../remote/content.js'
import { edit } from '../remote/editor.js'
import { configEntries } from '../completion/sources.js'
import { optional } from '../remote/flags.js'
import { content, dryRunWrite, namedBy, naming } from './config-entries.js'

export const configEdit = remoteCommand({
  summary: 'Edit a configuration entry in $VISUAL, $EDITOR or vi.',
  about:
    'The server validates the edited entry. The command prints the difference, and stores the entry only if it has not changed since.\nA missing entry is created.',
  examples: ['annals config edit service-router/web', 'EDITOR=nano annals config edit proxy-defaults/global'],
  args: { entry: optional('KIND/NAME, instead of the flags', configEntries) },
  flags: naming,
  run: async ({ read, send, out, flags, args, console }) => {
    const named = namedBy(flags, args.entry)
    const called = `${named.kind}/${named.name}`
    const stored = await undefinedIfMissing(read('/v1/config/{kind}/{name}', named))
    const before = stored ? content(stored) : { Kind: named.kind, Name: named.name }
    const problemOf = async (text: string): Promise<string | undefined> => {
      try {
        const { Outcome, Errors } = await dryRunWrite(send, await parseDefinition(text, 'the entry'))
        return Outcome === 'refused' ? Errors.join('\n') : undefined
      } catch (error) {
        return messageOf(error)
      }
    }
    const text = `${JSON.stringify(before, null, 2)}\n`
    const edited = await edit(console, { name: `${called}.json`, text, problemOf })
    if (edited === undefined) return
    const body = await parseDefinition(edited, 'the entry')
    const query = { cas: stored?.ModifyIndex ?? 0 }
    if (!(await (await send('PUT', '/v1/config', { query, body })).json<boolean>()))
      throw new Failed(`${called} was not stored: it has changed since it was read`)
    out.note(`Config entry written: ${called}`)
  }
})
