// The machines that the servers of a cluster and the members of etcd run on, and the network between them.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, openSync, readFileSync } from 'node:fs'
import type { Scope } from '../../support/process.js'

export interface Machine {
  readonly name: string
  /** Where the other machines reach it. */
  readonly address: string
  /** Where the tests reach it, whatever became of the network between the machines. */
  readonly testAddress: string
  /** Where its programs reach what listens in the tests. */
  readonly hostAddress: string
  /** The command that begins a program there; empty for this machine itself. */
  readonly enter: readonly string[]
  /** A port on which nothing listens. */
  freePort(): Promise<number>
}

/** Machines whose network can be broken. What tests send passes by that network, and is never touched. */
export interface Network {
  readonly machines: readonly Machine[]
  /** Nothing that the machine sends arrives, and nothing reaches it. Connections stay open. */
  cutOff(machine: Machine): void
  /** Undoes `cutOff`. */
  reconnect(machine: Machine): void
  /** What one machine sends to the other is lost; what comes the other way arrives. */
  lose(from: Machine, to: Machine): void
  /** Undoes `lose`. */
  restore(from: Machine, to: Machine): void
}

/** A program that was started on a machine. */
export interface Program {
  readonly pid: number
  /** Exit code or signal; undefined while it runs. */
  ended(): string | undefined
  /** Resolves when it has ended. */
  readonly exit: Promise<string>
  /** Standard output and standard error. */
  log(): string
  /** Does nothing once it has ended. */
  signal(name: NodeJS.Signals): void
}

interface ProgramOptions {
  /** File of its output. */
  readonly log: string
  readonly env?: Readonly<Record<string, string>>
  /** Shell commands that run in its process before it starts, such as `ulimit`. */
  readonly shell?: string
}

/**
 * Starts a program on a machine. It is killed when the scope ends, and also when this thread ends in any other way, as it
 * does when a run of tests is broken off.
 */
export const startProgram = (
  scope: Scope,
  machine: Machine,
  command: readonly string[],
  { log, env = {}, shell }: ProgramOptions
): Program => {
  const inShell = shell === undefined ? command : ['/bin/sh', '-c', `${shell}; exec "$@"`, 'sh', ...command]
  const args = ['--pdeathsig', 'KILL', ...machine.enter, ...inShell]
  // Variables of the test suite are no settings of a server.
  const given = Object.entries(process.env).filter(([name]) => !/^(ANNALS|ETCD)_/.test(name))
  const file = openSync(log, 'a')
  const child = spawn('setpriv', args, {
    stdio: ['ignore', file, file],
    env: { ...Object.fromEntries(given), ...env }
  })
  closeSync(file)
  let ended: string | undefined
  const exit = once(child, 'exit').then(
    ([code, signal]: readonly unknown[]) => (ended = String(code ?? signal))
  )
  const signal = (name: NodeJS.Signals): void => {
    if (ended === undefined) child.kill(name)
  }
  scope.teardown(async () => {
    signal('SIGKILL')
    await exit
  })
  return { pid: child.pid ?? 0, ended: () => ended, exit, log: () => readFileSync(log, 'utf8'), signal }
}
