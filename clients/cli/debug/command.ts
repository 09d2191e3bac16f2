import type { Answer } from '../../typescript/answer.js'
import { type Run, remoteCommand } from '../remote/command.js'
import { existsSync, createWriteStream } from 'node:fs'
import { setTimeout as pause } from 'node:timers/promises'
import { messageOf } from '../../../events/errors.js'
import { parseMilliseconds } from '../../../events/duration.js'
import { programVersion } from '../../../events/version.js'
import { UsageError, Failed } from '../console.js'
import { text as textFlag, texts } from '../remote/flags.js'
import { fields } from '../remote/output.js'
import { pipeline } from 'node:stream/promises'
import { createGzip } from 'node:zlib'
import { pack } from 'tar-stream'

// The parts of a bundle of `annals debug`.

/** Characters. */
const MOST_LOG = 32 * 1024 * 1024

interface CaptureOptions extends Pick<Run, 'get' | 'connection'> {
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

type CaptureName = keyof typeof CAPTURES

const isName = (name: string): name is CaptureName => Object.hasOwn(CAPTURES, name)

const captureNames: readonly CaptureName[] = Object.keys(CAPTURES).filter(isName)

const captureOf = (name: CaptureName): Capture => CAPTURES[name]

/** Readable by its owner only, since the log in it names clients and paths. */
const MODE = 0o600

/** Writes texts by file name into a folder of a new `.tar.gz`. @throws Error of the system, such as for a file that exists */
const writeBundle = async (
  file: string,
  folder: string,
  entries: Readonly<Record<string, string>>,
  mtime: Date
): Promise<void> => {
  const tar = pack()
  const written = pipeline(tar, createGzip(), createWriteStream(file, { flags: 'wx', mode: MODE }))
  for (const [name, text] of Object.entries(entries))
    tar.entry({ name: `${folder}/${name}`, mtime, mode: MODE }, text)
  tar.finalize()
  await written
}

const USUAL = '10s'
const MOST_SECONDS = 60

interface Index {
  readonly File: string
  readonly Address: string
  /** The version of this program. `agent.json` has the server's. */
  readonly Version: string
  readonly Begun: string
  readonly Seconds: number
  readonly Files: readonly string[]
  /** Error messages by the name of the failed capture. */
  readonly LeftOut: Readonly<Record<string, string>>
}

/** @throws UsageError */
const secondsOf = (duration: string): number => {
  const seconds = (parseMilliseconds(duration) ?? 0) / 1000
  if (!Number.isInteger(seconds) || seconds < 1 || seconds > MOST_SECONDS)
    throw new UsageError(`--duration must be whole seconds from 1s to ${MOST_SECONDS}s, such as ${USUAL}`)
  return seconds
}

const takeAll = async (
  names: readonly CaptureName[],
  { get, connection, seconds }: Omit<CaptureOptions, 'over'>
): Promise<Pick<Index, 'LeftOut'> & { readonly entries: Readonly<Record<string, string>> }> => {
  const entries: Record<string, string> = {}
  const LeftOut: Record<string, string> = {}
  const take = async (name: CaptureName, over: CaptureOptions['over']): Promise<boolean> => {
    try {
      Object.assign(entries, await captureOf(name).take({ get, connection, seconds, over }))
      return true
    } catch (error) {
      LeftOut[name] = messageOf(error)
      return false
    }
  }
  const profiles = names
    .filter(name => captureOf(name).isProfile)
    .map(name => take(name, () => Promise.resolve()))
  // The server times the profiles. Without one, this machine does.
  const untilOver = async (): Promise<void> => {
    const taken = await Promise.all(profiles)
    if (!taken.includes(true)) await pause(seconds * 1000)
  }
  let ending: Promise<void> | undefined
  const over = (): Promise<void> => (ending ??= untilOver())
  const others = names.filter(name => !captureOf(name).isProfile).map(name => take(name, over))
  await Promise.all([...profiles, ...others])
  return { entries, LeftOut }
}

const asText = ({ File, Files, LeftOut }: Index): string =>
  fields({
    Written: File,
    With: Files,
    ...Object.fromEntries(Object.entries(LeftOut).map(([name, why]) => [`Without ${name}`, why]))
  })

const aboutAll = captureNames.map(name => `  ${name.padEnd(14)} ${captureOf(name).about}`).join('\n')

export const debug = remoteCommand({
  summary: 'Collect diagnostics of a server into one file.',
  about: `The file is a .tar.gz that only you may read. It contains no secrets and no values of keys. Its log names clients and paths. Parts:
${aboutAll}
Required permissions: operator:read (configuration, host, servers, profiles) and agent:read for the server (agent, metrics, log).
The command omits parts that the token may not read, and its exit code is then 1. With workers, profiles are of the main process.
Profiles open in Chrome's developer tools: Performance takes .cpuprofile, Memory .heapprofile.`,
  examples: [
    'annals debug',
    'annals debug --duration 30s --output slow.tar.gz',
    'annals debug --capture cpu --capture metrics'
  ],
  flags: {
    duration: textFlag(
      'time',
      `duration of profiles and of the log, from 1s to ${MOST_SECONDS}s (default: ${USUAL})`
    ),
    output: textFlag('file', 'file to write (default: a name with the time)'),
    capture: texts('part', 'only this part', { choices: captureNames })
  },
  run: async ({ flags, get, connection, out }) => {
    const seconds = secondsOf(flags.duration ?? USUAL)
    const begun = new Date()
    const stamp = begun.toISOString().replaceAll(/[-:]|\.\d+/g, '')
    const folder = `annals-debug-${stamp}`
    const file = flags.output ?? `${folder}.tar.gz`
    if (existsSync(file)) throw new UsageError(`${file} is there already`)
    const names =
      flags.capture.length === 0 ? captureNames : captureNames.filter(name => flags.capture.includes(name))
    const { entries, LeftOut } = await takeAll(names, { get, connection, seconds })
    const index: Index = {
      File: file,
      Address: connection.address,
      Version: programVersion(),
      Begun: begun.toISOString(),
      Seconds: seconds,
      Files: Object.keys(entries).toSorted(),
      LeftOut
    }
    const [why] = Object.values(LeftOut)
    if (index.Files.length === 0) throw new Failed(`nothing was captured: ${why}`)
    await writeBundle(
      file,
      folder,
      { 'index.json': `${JSON.stringify(index, null, 2)}\n`, ...entries },
      begun
    )
    out.show(index, asText)
    if (why !== undefined) throw new Failed(`not everything was captured: ${why}`)
  }
})
