// Temporary folders and child processes of the tests of the log on disk.
import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'

const folders: string[] = []
process.once('exit', () => {
  for (const path of folders) rmSync(path, { recursive: true, force: true })
})

/** A new folder; removed when the process ends. */
export function temporaryFolder(): string {
  const path = mkdtempSync(join(tmpdir(), 'annals-log-'))
  folders.push(path)
  return path
}

interface Child {
  readonly process: ChildProcess
  /** The next line it prints, parsed. Rejects when it ends without one. */
  line<T>(): Promise<T>
  /** Resolves when it has ended. */
  readonly ended: Promise<void>
}

export const childScript = fileURLToPath(new URL('log-child.js', import.meta.url))

/** Runs a command that prints JSON lines. An early end is an error with its stderr. */
export function run(command: string, ...args: readonly string[]): Child {
  const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'pipe'] })
  let complaints = ''
  child.stderr.on('data', data => (complaints += String(data)))
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
  const ended = new Promise<void>(resolve => child.once('close', () => resolve()))
  return {
    process: child,
    ended,
    async line<T>() {
      const next = await lines.next()
      if (next.done) throw new Error(`${command} ended early: ${complaints}`)
      const value: T = JSON.parse(next.value)
      return value
    }
  }
}
