import { destination, pino, stdTimeFunctions, type DestinationStream, type Logger } from 'pino'
import type { LogLines } from './lines.js'
import { isObject, parseObject } from '../../../events/values.js'
import { prettyStream, type Fields } from './pretty.js'
import { redact } from './redact.js'
import { serializers } from './serializers.js'
import type { Settings } from '../../settings/settings.js'

const VERSION = '8.11.0'
const NANOSECONDS_PER_MS = 1_000_000

const given = (fields: Fields): Fields =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined))

const errorOf = ({ type, message, stack, code }: Fields): Fields =>
  given({ type, message, stack_trace: stack, code })

const urlOf = (url: unknown): Fields | undefined => {
  if (typeof url !== 'string') return undefined
  const [path = '', ...query] = url.split('?')
  return given({ original: url, path, query: query.length > 0 ? query.join('?') : undefined })
}

const outcomeOf = (status: unknown): string => {
  if (typeof status !== 'number') return 'unknown'
  return status < 400 ? 'success' : 'failure'
}

/** Maps a request to the field sets `http`, `url`, `client` and `event`. */
const requestOf = (req: Fields, res: unknown, ms: unknown): Fields => {
  const status = isObject(res) ? res['statusCode'] : undefined
  return given({
    http: given({
      request: given({ id: req['id'], method: req['method'] }),
      response: status === undefined ? undefined : { status_code: status }
    }),
    url: urlOf(req['url']),
    client: req['ip'] === undefined ? undefined : { ip: req['ip'] },
    event: given({
      kind: 'event',
      category: ['web'],
      type: ['access'],
      outcome: outcomeOf(status),
      duration: typeof ms === 'number' ? Math.round(ms * NANOSECONDS_PER_MS) : undefined
    })
  })
}

/** Converts a JSON line to ECS. Fields without an equivalent are nested in `annals`. Other lines are unchanged. */
export const ecsLine = (line: string): string => {
  const record = parseObject(line)
  if (!record) return line
  const { time, level, msg, err, req, res, ms, trace_id: trace, span_id: span, ...rest } = record
  const isRequest = isObject(req)
  const others = isRequest ? rest : given({ ...rest, req, res, ms })
  const made = given({
    '@timestamp': time,
    'log.level': level,
    message: msg ?? '',
    ecs: { version: VERSION },
    service: { name: 'annals' },
    trace: trace === undefined ? undefined : { id: trace },
    span: span === undefined ? undefined : { id: span },
    error: isObject(err) ? errorOf(err) : undefined,
    annals: Object.keys(others).length > 0 ? others : undefined,
    ...(isRequest ? requestOf(req, res, ms) : {})
  })
  return `${JSON.stringify(made)}\n`
}

const ecsStream = (out: DestinationStream): DestinationStream => ({
  write: line => out.write(ecsLine(line))
})

export type { Logger } from 'pino'

/**
 * Returns a logger with the level and form of the settings. Every line passes `redact`, also those of child loggers. Lines are written
 * asynchronously, and the rest on exit.
 * @param out standard output by default
 * @param lines receives each line as JSON, also those below the level that followers request
 */
export const createLogger = (
  settings: { readonly log: Pick<Settings['log'], 'level' | 'pretty'> & { readonly ecs?: boolean } },
  out?: DestinationStream,
  lines?: LogLines
): Logger => {
  const target = out ?? destination({ dest: 1, sync: false })
  const { level, ecs = false, pretty = !ecs && out === undefined && process.stdout.isTTY } = settings.log
  const formed = ecs ? ecsStream(target) : target
  const written = pretty ? prettyStream(target) : formed
  const logger = pino(
    {
      level,
      base: null,
      timestamp: stdTimeFunctions.isoTime,
      formatters: { level: label => ({ level: label }) },
      serializers,
      hooks: {
        streamWrite: line => {
          const redacted = redact(line)
          lines?.write(redacted)
          return redacted
        }
      }
    },
    lines ? { write: line => void (lines.isOwn(line) && written.write(line)) } : written
  )
  lines?.setOwnLevel(logger, level)
  return logger
}
