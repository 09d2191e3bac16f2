import { existsSync, createWriteStream } from 'node:fs'
import { setTimeout as pause } from 'node:timers/promises'
import { messageOf } from '../../../events/errors.js'
import { parseMilliseconds } from '../../../events/duration.js'
import { programVersion } from '../../../events/version.js'
import { UsageError, Failed } from '../console.js'
import { remoteCommand } from '../remote/command.js'
import { text as textFlag, texts } from '../remote/flags.js'
import { fields } from '../remote/output.js'
import { captureNames, captureOf, type CaptureName, type CaptureOptions } from './captures.js'
import { pipeline } from 'node:stream/promises'
import { createGzip } from 'node:zlib'
import { pack } from 'tar-stream'

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
      flags.capture.length === 0 ? captureNames : captureNames.filter(one => flags.capture.includes(one))
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
