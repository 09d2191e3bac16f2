// Checks that a release makes the same state of a log as the release that recorded it, as a step of CI:
// `node dist/library/examples/upgrade-check.js ./backup ./recorded` records at the first run, and compares afterwards.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'

interface UpgradeCheck {
  /** `annals`, or the path of the program with its arguments. */
  readonly program: readonly string[]
  /** A data folder, or a backup by `annals log backup`. */
  readonly backup: string
  readonly recording: string
}

/** Resolves with 0 if the states are equal, 1 if they differ, 2 if they cannot be compared. */
export const upgradeCheck = async ({ program, backup, recording }: UpgradeCheck): Promise<number> => {
  const [command = 'annals', ...options] = program
  const isRecorded = existsSync(join(recording, 'recording.ndjson'))
  const mode = isRecorded ? '--against' : '--record'
  const child = spawn(command, [...options, 'log', 'test', backup, mode, recording], { stdio: 'inherit' })
  const [code]: readonly unknown[] = await once(child, 'close')
  return typeof code === 'number' ? code : 2
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const [backup = './backup', recording = './recorded', program = 'annals'] = process.argv.slice(2)
  process.exitCode = await upgradeCheck({ program: [program], backup, recording })
}
