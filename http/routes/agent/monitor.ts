// Streams the server's own log (spec: state.md §8).
import { pino } from 'pino'
import { invalid } from '../../../actors/refusal.js'
import { TEXT_TYPE, type RouteResponse } from '../../wire/response.js'
import { isLineLevel, type LineLevel, type LogLines } from '../../../server/telemetry/logging/lines.js'
import type { ShutdownSignal } from '../../wire/shutdown-signal.js'
import { prettyLine } from '../../../server/telemetry/logging/pretty.js'
import type { RequestContext } from '../../wire/request-context.js'
import { requires, route, type Route } from '../../wire/route.js'

/** The connection of a slower reader is closed at this number of unsent bytes. */
const MOST_UNSENT_BYTES = 1024 * 1024
/** The time at shutdown for a reader to receive the last lines. */
const LAST_LINES_MS = 1000

/** @throws Refusal `invalid` */
const lowestOf = ({ query }: RequestContext): LineLevel => {
  const given = (query.filled('loglevel') ?? 'info').toLowerCase()
  // Go's name of a level differs.
  const level = given === 'err' ? 'error' : given
  if (isLineLevel(level)) return level
  const known = Object.keys(pino.levels.values).join(', ')
  throw invalid('agent.invalid', `Unknown log level "${given}": it must be one of ${known}`)
}

const follow = (
  request: RequestContext,
  lowest: LineLevel,
  logLines: LogLines,
  closing: AbortSignal
): RouteResponse => {
  const asJson = request.query.has('logjson')
  return {
    status: 200,
    body: '',
    type: TEXT_TYPE,
    headers: ['Connection', 'close', 'X-Accel-Buffering', 'no'],
    stream: response => {
      const end = (): void => {
        stop()
        response.end()
        setTimeout(() => response.destroy(), LAST_LINES_MS).unref()
      }
      const stop = logLines.follow(line => {
        if (response.writableLength > MOST_UNSENT_BYTES) response.destroy()
        else response.write(asJson ? line : prettyLine(line))
      }, lowest)
      closing.addEventListener('abort', end, { once: true })
      response.once('close', () => {
        stop()
        closing.removeEventListener('abort', end)
      })
      response.flushHeaders()
    }
  }
}

export const agentMonitorRoutes = (logLines: LogLines, { signal }: ShutdownSignal): readonly Route[] => [
  route({
    tag: 'Agent',
    method: 'GET',
    path: '/v1/agent/monitor',
    operationId: 'streamLog',
    summary: 'Stream the log of the server from now on, independently of `log.level`',
    access: requires('agent:read', 'on the name of the server'),
    tenancy: 'none',
    runs: 'here',
    query: { loglevel: 'The lowest level that is shown; `info` unless given', logjson: 'Lines as JSON' },
    rawResponse: {
      type: 'text/plain',
      description: 'A line for each entry of the log',
      example: '2026-03-01T12:00:00.000Z [INFO] the server listens'
    },
    handle: request => {
      const lowest = lowestOf(request)
      request.require('agent', 'read', request.settings.node_name)
      return follow(request, lowest, logLines, signal)
    }
  })
]
