import { stringify } from 'lossless-json'
import { blocking, type BlockingResult } from '../../typescript/blocking.js'
import { ExitWith, UsageError } from '../console.js'
import { parseExact } from '../../exact-json.js'
import { runChild, runUntilInterrupted } from '../remote/child.js'
import { remoteCommand } from '../remote/command.js'
import { on, rest, text, texts, integer, type FlagDefinitions, type FlagValues } from '../remote/flags.js'
import type { Query } from '../../typescript/connection.js'

interface Watched {
  readonly path: string
  readonly query?: Query
  /** The response is a list with the resource as its first element. */
  readonly isFirst?: true
}

type WatchRequest = FlagValues<typeof flags>

const needed = (value: string | undefined, flag: string, type: string): string => {
  if (value === undefined) throw new UsageError(`--type ${type} needs --${flag}`)
  return value
}

const segment = encodeURIComponent

const types: Readonly<Record<string, (request: WatchRequest) => Watched>> = {
  key: ({ key }) => ({ path: `/v1/kv/${segment(needed(key, 'key', 'key'))}`, isFirst: true }),
  keyprefix: ({ prefix }) => ({
    path: `/v1/kv/${segment(needed(prefix, 'prefix', 'keyprefix'))}`,
    query: { recurse: true }
  }),
  services: () => ({ path: '/v1/catalog/services' }),
  nodes: () => ({ path: '/v1/catalog/nodes' }),
  service: ({ service, tag, passingonly }) => ({
    path: `/v1/health/service/${segment(needed(service, 'service', 'service'))}`,
    query: { tag, passing: passingonly }
  }),
  checks: ({ service, state = 'any' }) => ({
    path:
      service === undefined ? `/v1/health/state/${segment(state)}` : `/v1/health/checks/${segment(service)}`
  }),
  event: ({ name }) => ({ path: '/v1/event/list', query: { name } })
}

const WATCH_TYPES = Object.keys(types)

const flags = {
  type: text('type', 'kind of resource to watch', { choices: WATCH_TYPES }),
  key: text('key', 'of type key: the key'),
  prefix: text('prefix', 'of type keyprefix: the prefix of the keys'),
  service: text('name', 'of types service and checks: the service'),
  tag: texts('tag', 'of type service: only instances with this tag'),
  passingonly: on('of type service: only instances whose checks all pass', { also: ['passing-only'] }),
  state: text('status', 'of type checks: only checks with this status'),
  name: text('name', 'of type event: only events of this name'),
  path: text('path', 'path of a blocking read of the API, instead of a type'),
  limit: integer('number', 'end after this number of runs')
} satisfies FlagDefinitions

/** @throws UsageError */
const watchedBy = (request: WatchRequest): Watched => {
  const { type, path } = request
  if ((type === undefined) === (path === undefined))
    throw new UsageError('select what to watch with --type or with --path')
  if (path !== undefined) {
    if (!path.startsWith('/v1/')) throw new UsageError(`"${path}" is no path of the API: it begins with /v1/`)
    return { path }
  }
  const watched = types[type ?? '']
  if (!watched) throw new UsageError(`there is no type "${type}": it is one of ${WATCH_TYPES.join(', ')}`)
  return watched(request)
}

/** Returns JSON, `null` for a missing resource. */
const jsonOf = ({ value }: BlockingResult<string>, { isFirst }: Watched): string => {
  if (value === undefined) return 'null'
  const shown = parseExact(value)
  const meant = isFirst && Array.isArray(shown) ? (shown[0] ?? null) : shown
  return stringify(meant, undefined, 2) ?? 'null'
}

export const watch = remoteCommand({
  summary: 'Run a program after each change of a key or service.',
  about:
    'The program receives the current state as JSON on standard input, null if it does not exist, and its index in ANNALS_INDEX.\nThe program runs at the start, and once more after changes during a run. Its failure is reported, and does not end the command.\nA single argument is a shell command. Several arguments are a program and its arguments. Without a program, the command prints the\nstate and ends.',
  examples: [
    'annals watch -type key -key web/port -- ./reload.sh',
    'annals watch -type service -service web -passingonly -- ./render.sh',
    "annals watch -type keyprefix -prefix web/ 'jq length'",
    'annals watch -path /v1/config/service-router/web -- ./check.sh'
  ],
  passesThrough: true,
  args: { command: rest('program and its arguments') },
  flags,
  run: async ({ connection, consistency, console, out, args, flags: request }) => {
    const watched = watchedBy(request)
    const limit = request.limit === undefined ? Infinity : Number(request.limit)
    const last = await runUntilInterrupted(async signal => {
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
        if (++runs >= limit) return code
      }
      return 0
    })
    if (last !== 0) throw new ExitWith(last)
  }
})
