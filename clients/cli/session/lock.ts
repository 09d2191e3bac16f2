import { UsageError, ExitWith, Failed } from '../console.js'
import { runChild, runUntilInterrupted } from '../remote/child.js'
import { remoteCommand } from '../remote/command.js'
import { duration, required, on, rest, text } from '../remote/flags.js'

const isTimeout = (error: unknown): boolean => error instanceof Error && error.name === 'TimeoutError'

export const lock = remoteCommand({
  summary: 'Run a program while holding a lock.',
  about:
    'The lock is the key PREFIX/.lock, which `consul lock` uses too. If the lock is lost, the program receives SIGTERM, and SIGKILL after\nfive seconds. A single argument is a shell command. Several arguments are a program and its arguments.\nThe exit code is that of the program, or 128 plus the number of the signal that ended it. It is 1 if the lock was not free in time\nor was lost, and 2 if no server was reached.',
  examples: [
    'annals lock deploy ./deploy.sh --all',
    "annals lock -timeout 30s deploy 'make && make install'",
    'annals lock -ttl 60s -name "backup of $(hostname)" backup /usr/bin/backup'
  ],
  passesThrough: true,
  args: {
    prefix: required('prefix of the key of the lock'),
    command: rest('program and its arguments')
  },
  flags: {
    timeout: duration('maximum time to wait for the lock (default: unlimited)'),
    name: text('text', 'name of the session'),
    ttl: duration('time after which the lock is released if this program fails (default: 15s)'),
    lockDelay: duration('time that a lost lock stays unavailable (default: 15s)'),
    verbose: on('print each step')
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
