// Members of etcd as processes on machines, with the settings that docs/how-to/three-servers.md asks for.
import { spawnSync } from 'node:child_process'
import { mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { send } from '../support/client.js'
import { temporaryFolder, type Scope } from '../support/process.js'
import { until } from '../support/wait.js'
import { startProgram, type Machine, type Program } from './machines/machine.js'

export interface EtcdMember {
  readonly name: string
  readonly machine: Machine
  /** `http://HOST:PORT`, for programs of the other machines. */
  readonly url: string
  /** The same for the tests. */
  readonly testUrl: string
  readonly pid: number
  runs(): boolean
  /** Starts it, on the data that it has. Resolves when the process exists. */
  start(): void
  /** SIGKILL. Resolves when it has ended. */
  kill(): Promise<void>
  /** Replaces its data by those of a backup, while it does not run. All members of the cluster must do so. */
  restore(backup: string): void
  /** SIGSTOP, or SIGCONT. */
  signal(given: 'SIGSTOP' | 'SIGCONT'): void
  log(): string
}

export interface EtcdOptions {
  /** Quota in bytes; etcd's default when absent. */
  readonly quota?: number
}

export interface Etcd {
  readonly members: readonly EtcdMember[]
  /** Resolves when there is a leader that answers, and tells which member it is. */
  leader(): Promise<EtcdMember>
  /**
   * Calls the JSON gateway of a member that answers, such as `/v3/kv/range`. Keys and values are Base64.
   * @throws Error with what all of them answered
   */
  call(path: string, body: object): Promise<Readonly<Record<string, unknown>>>
  /** The same of one member. @param url its `testUrl` */
  ask(url: string, path: string, body: object): Promise<Readonly<Record<string, unknown>>>
  /** Keys and values that begin with a text, as they are in etcd now. */
  list(prefix: string): Promise<ReadonlyMap<string, string>>
  /** Removes keys. */
  remove(key: string): Promise<void>
}

const TIMEOUT = 2000

/** Starts members of one cluster, one on each machine. They end with the scope. */
export const startEtcd = async (
  scope: Scope,
  machines: readonly Machine[],
  { quota }: EtcdOptions = {}
): Promise<Etcd> => {
  const folder = temporaryFolder(scope)
  const places = await Promise.all(
    machines.map(async (machine, at) => ({
      machine,
      name: `etcd-${at + 1}`,
      client: await machine.freePort(),
      peer: await machine.freePort()
    }))
  )
  const peers = places.map(({ name, machine, peer }) => `${name}=http://${machine.address}:${peer}`).join()
  const members = places.map(({ machine, name, client, peer }): EtcdMember => {
    const listen = machine.enter.length === 0 ? machine.address : '0.0.0.0'
    const url = `http://${machine.address}:${client}`
    const peerUrl = `http://${machine.address}:${peer}`
    const data = join(folder, name)
    mkdirSync(data, { mode: 0o700 })
    const command = Object.entries({
      name,
      'data-dir': data,
      'listen-client-urls': `http://${listen}:${client}`,
      'advertise-client-urls': url,
      'listen-peer-urls': `http://${listen}:${peer}`,
      'initial-advertise-peer-urls': peerUrl,
      'initial-cluster': peers,
      'initial-cluster-token': folder,
      'pre-vote': 'true',
      'heartbeat-interval': '50',
      'election-timeout': '500',
      logger: 'zap',
      'log-level': 'warn',
      ...(quota === undefined ? {} : { 'quota-backend-bytes': String(quota) })
    }).map(([flag, value]) => `--${flag}=${value}`)
    const log = join(folder, `${name}.log`)
    let program: Program | undefined
    return {
      name,
      machine,
      url,
      testUrl: `http://${machine.testAddress}:${client}`,
      get pid() {
        return program?.pid ?? 0
      },
      runs: () => program !== undefined && program.ended() === undefined,
      start: () => {
        program = startProgram(scope, machine, ['etcd', ...command], { log })
      },
      kill: async () => {
        program?.signal('SIGKILL')
        await program?.exit
      },
      restore: backup => {
        rmSync(data, { recursive: true })
        const cluster = ['--initial-cluster', peers, '--initial-cluster-token', folder]
        const { status, stderr } = spawnSync(
          'etcdctl',
          [
            'snapshot',
            'restore',
            backup,
            '--name',
            name,
            '--data-dir',
            data,
            '--initial-advertise-peer-urls',
            peerUrl,
            ...cluster
          ],
          { env: { ...process.env, ETCDCTL_API: '3' }, encoding: 'utf8' }
        )
        if (status !== 0) throw new Error(`etcdctl snapshot restore: ${stderr}`)
      },
      signal: given => program?.signal(given),
      log: () => program?.log() ?? ''
    }
  })
  for (const member of members) member.start()

  const ask = async (url: string, path: string, body: object): Promise<Readonly<Record<string, unknown>>> => {
    const { status, text } = await send(url, 'POST', path, { body, timeout: TIMEOUT })
    if (status !== 200) throw new Error(`${url}: ${path} was answered ${status} ${text}`)
    const answer: Readonly<Record<string, unknown>> = JSON.parse(text)
    return answer
  }
  const call = async (path: string, body: object): Promise<Readonly<Record<string, unknown>>> => {
    const faults: string[] = []
    for (const member of members)
      try {
        return await ask(member.testUrl, path, body)
      } catch (error) {
        faults.push(String(error))
      }
    throw new Error(faults.join('; '))
  }
  const leader = (): Promise<EtcdMember> =>
    until('a leader of etcd', async () => {
      for (const member of members) {
        const answer = await ask(member.testUrl, '/v3/maintenance/status', {}).catch(() => undefined)
        const header = answer?.['header']
        const id =
          typeof header === 'object' && header && 'member_id' in header ? header.member_id : undefined
        if (answer !== undefined && id !== undefined && id === answer['leader']) return member
      }
      return undefined
    })
  await leader()
  return {
    members,
    leader,
    call,
    ask,
    list: async prefix => {
      const key = Buffer.from(prefix)
      const end = Buffer.from(key)
      end[end.length - 1] = (end.at(-1) ?? 0) + 1
      const { kvs = [] } = await call('/v3/kv/range', {
        key: key.toString('base64'),
        range_end: end.toString('base64')
      })
      const list: readonly { readonly key: string; readonly value?: string }[] = Array.isArray(kvs) ? kvs : []
      const text = (base64: string): string => Buffer.from(base64, 'base64').toString('latin1')
      return new Map(list.map(({ key: one, value = '' }) => [text(one), text(value)]))
    },
    remove: async key => {
      await call('/v3/kv/deleterange', { key: Buffer.from(key).toString('base64') })
    }
  }
}
