// The parts of a bundle of `annals debug`.
import type { Answer } from '../../typescript/answer.js'
import type { Run } from '../remote/command.js'

/** Characters. */
const MOST_LOG = 32 * 1024 * 1024

export interface CaptureOptions extends Pick<Run, 'get' | 'connection'> {
  /** Whole seconds. */
  readonly seconds: number
  readonly over: () => Promise<unknown>
}

interface Capture {
  readonly about: string
  /** Measured by the server for the whole duration. */
  readonly isProfile?: true
  /** Returns texts by file name. */
  readonly take: (taking: CaptureOptions) => Promise<Readonly<Record<string, string>>>
}

const indented = async (answer: Answer): Promise<string> =>
  `${JSON.stringify(await answer.json(), null, 2)}\n`

const one = (about: string, file: string, path: string): Capture => ({
  about,
  take: async ({ get }) => ({ [file]: await indented(await get(path)) })
})

const profile = (about: string, file: string, path: string): Capture => ({
  about,
  isProfile: true,
  take: async ({ connection, seconds }) => {
    // A retry would measure another time.
    const once = connection.with({ retries: 0 })
    return { [file]: await (await once.request('GET', path, { query: { seconds } })).text() }
  }
})

const scrape = async ({ get }: CaptureOptions): Promise<string> =>
  (await get('/v1/agent/metrics', { format: 'prometheus' })).text()

const linesUntil = async ({ get, over }: CaptureOptions): Promise<string> => {
  const { body } = await get('/v1/agent/monitor', { loglevel: 'trace', logjson: true })
  if (!body) return ''
  const reader = body.pipeThrough(new TextDecoderStream()).getReader()
  void over().then(() => reader.cancel())
  let text = ''
  for (let next = await reader.read(); !next.done; next = await reader.read()) {
    text += next.value
    if (text.length > MOST_LOG) await reader.cancel()
  }
  return text
}

const CAPTURES = {
  agent: one('the description of the server', 'agent.json', '/v1/agent/self'),
  configuration: one('its configuration without secrets', 'configuration.json', '/v1/agent/configuration'),
  host: one('the machine', 'host.json', '/v1/agent/host'),
  servers: {
    about: 'the servers of its cluster, and how they fare',
    take: async ({ get }) => ({
      'members.json': await indented(await get('/v1/agent/members')),
      'servers.json': await indented(await get('/v1/operator/raft/configuration')),
      'health.json': await indented(await get('/v1/operator/autopilot/state'))
    })
  },
  metrics: {
    about: 'its metrics, at the beginning and at the end',
    take: async taking => {
      const before = await scrape(taking)
      await taking.over()
      return { 'metrics-before.prom': before, 'metrics-after.prom': await scrape(taking) }
    }
  },
  log: {
    about: 'the lines of its log in that time',
    take: async taking => ({ 'log.ndjson': await linesUntil(taking) })
  },
  cpu: profile('a profile of the processor', 'cpu.cpuprofile', '/v1/agent/profile/cpu'),
  heap: profile('a profile of its heap allocations', 'heap.heapprofile', '/v1/agent/profile/heap')
} satisfies Readonly<Record<string, Capture>>

export type CaptureName = keyof typeof CAPTURES

const isName = (name: string): name is CaptureName => Object.hasOwn(CAPTURES, name)

export const captureNames: readonly CaptureName[] = Object.keys(CAPTURES).filter(isName)

export const captureOf = (name: CaptureName): Capture => CAPTURES[name]
