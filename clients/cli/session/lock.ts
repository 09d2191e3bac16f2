import { UsageError } from '../console.js'
import { ExitWith, Failed } from '../failures.js'
import { runChild, runUntilInterrupted } from '../remote/child.js'
import { remoteCommand } from '../remote/command.js'
import { duration, required, on, rest, text } from '../remote/flags.js'

const isTimeout = (error: unknown): boolean => error instanceof Error && error.name === 'TimeoutError'

export const lock = remoteCommand({
  summary: 'Run a program while a lock is held.',
  about:
    'The lock is the key PREFIX/.lock, as `consul lock` has it: each waits for the other. The program is asked to end (SIGTERM, after five\nseconds SIGKILL) when the lock is lost. A single argument is a line for the shell; several are a program and its arguments.\nEnds with the exit code of the program, or with 128 and the number of the signal that ended it. It ends with 1 when the lock was\nnot free in time or was lost, and with 2 when no server was reached.',
  examples: [
    'annals lock deploy ./deploy.sh --all',
    "annals lock -timeout 30s deploy 'make && make install'",
    'annals lock -ttl 60s -name "backup of $(hostname)" backup /usr/bin/backup'
  ],
  passesThrough: true,
  args: {
    prefix: required('what the lock is for: a path of the keys'),
    command: rest('the program, and its arguments')
  },
  flags: {
    timeout: duration('how long to wait for the lock (default: as long as it takes)'),
    name: text('text', 'name of the session, for who looks at the lock'),
    ttl: duration('how long the lock is still held when this program is gone (default: 15s)'),
    lockDelay: duration('how long a lost lock stays unavailable to others (default: 15s)'),
    verbose: on('tell what is done')
  },
  run: async ({ connection, console, flags, args }) => {
    const { timeout, name, ttl, lockDelay, verbose } = flags
    if (args.command.length === 0) throw new UsageError('which program? It stands behind the prefix')
    const { Lock } = await import('../../typescript/locks.js')
    const key = `${args.prefix.replace(/^\/+|\/+$/g, '')}/.lock`
    const report = (word: string): void => {
      if (verbose) console.err.write(`annals: ${word}\n`)
    }
    const code = await runUntilInterrupted(async interrupted => {
      report(`waiting for the lock "${key}"`)
      const signals = timeout === undefined ? [interrupted] : [interrupted, AbortSignal.timeout(timeout)]
      const session = {
        name: name ?? `annals lock ${args.prefix}`,
        ...(ttl === undefined ? {} : { ttl: ttl / 1000 }),
        ...(lockDelay === undefined ? {} : { lockDelay: lockDelay / 1000 })
      }
      const held = await Lock.acquire(connection, key, { session, signal: AbortSignal.any(signals) }).catch(
        error => {
          throw isTimeout(error) ? new Failed(`the lock "${key}" was not free in time`) : error
        }
      )
      report(`the lock is held by session ${held.session}`)
      try {
        const env = { ...console.env, CONSUL_LOCK_HELD: 'true' }
        const ended = await runChild({
          command: args.command,
          env,
          signal: AbortSignal.any([interrupted, held.lost])
        })
        held.lost.throwIfAborted()
        return ended
      } finally {
        if (!held.lost.aborted) await held.release()
        report('the lock is given back')
      }
    })
    if (code !== 0) throw new ExitWith(code)
  }
})
