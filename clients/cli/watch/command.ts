// `annals watch`
import { stringify } from 'lossless-json'
import { blocking, type Shown } from '../../typescript/blocking.js'
import { EndsWith } from '../failures.js'
import { exactJson } from '../kv/entries.js'
import { runChild, untilTold } from '../remote/child.js'
import { remoteCommand } from '../remote/command.js'
import { on, rest, text, texts, whole } from '../remote/flags.js'
import { watchedBy, WATCH_TYPES, type Watched } from './watched.js'

/** What was shown, as JSON; what does not exist is `null`. */
const jsonOf = ({ value }: Shown<string>, { isFirst }: Watched): string => {
  if (value === undefined) return 'null'
  const shown = exactJson(value)
  const meant = isFirst && Array.isArray(shown) ? (shown[0] ?? null) : shown
  return stringify(meant, undefined, 2) ?? 'null'
}

export const watch = remoteCommand({
  summary: 'Run a program each time that something has changed.',
  about:
    'The program gets what is there as JSON on its standard input, and its index in ANNALS_INDEX; null stands for what does not exist. It is run\nonce at the beginning. What changes while it runs is told together afterwards. A program that fails is told of, and watching goes on.\nA single argument is a line for the shell; several are a program and its arguments. Without a program it prints what is there, and ends.',
  examples: [
    'annals watch -type key -key web/port -- ./reload.sh',
    'annals watch -type service -service web -passingonly -- ./render.sh',
    "annals watch -type keyprefix -prefix web/ 'jq length'",
    'annals watch -path /v1/config/service-router/web -- ./check.sh'
  ],
  passesThrough: true,
  args: { command: rest('the program, and its arguments') },
  flags: {
    type: text('type', 'what is watched', { choices: WATCH_TYPES }),
    key: text('key', 'of type key: which'),
    prefix: text('prefix', 'of type keyprefix: keys that begin with it'),
    service: text('name', 'of type service: which; of type checks: only those of this service'),
    tag: texts('tag', 'of type service: only instances with this tag'),
    passingonly: on('of type service: only instances of which all checks pass', { also: ['passing-only'] }),
    state: text('status', 'of type checks: only those with this status'),
    name: text('name', 'of type event: only events of this name'),
    path: text('path', 'any read of the API that can block, in place of a type'),
    limit: whole('number', 'end after the program has run so often')
  },
  run: async ({ connection, consistency, console, out, args, flags }) => {
    const watched = watchedBy(flags)
    const most = flags.limit === undefined ? Infinity : Number(flags.limit)
    const last = await untilTold(async signal => {
      const query = { ...watched.query, ...consistency }
      let runs = 0
      for await (const shown of blocking<string>(connection, watched.path, {
        query,
        signal,
        parse: answer => answer.text()
      })) {
        const input = jsonOf(shown, watched)
        if (args.command.length === 0) {
          out.print(input)
          return 0
        }
        const env = { ...console.env, ANNALS_INDEX: shown.index, CONSUL_INDEX: shown.index }
        const code = await runChild({ command: args.command, env, signal, input: `${input}\n` })
        if (code !== 0) console.err.write(`annals: the program has ended with ${code}\n`)
        if (++runs >= most) return code
      }
      return 0
    })
    if (last !== 0) throw new EndsWith(last)
  }
})
