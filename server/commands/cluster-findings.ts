// What `annals doctor --config` checks of a cluster: its servers in all directions, clocks, versions, certificates, etcd and lag.
import { readFileSync } from 'node:fs'
import { messageOf } from '../../events/errors.js'
import type { Member, SharedLog } from '../../events/log/cluster/shared-log.js'
import type { ObservedMember } from '../../events/log/etcd/administration.js'
import {
  EXPIRES_SOON_MS,
  failed,
  ok,
  warning,
  type Finding,
  type Outcome
} from '../../clients/cli/doctor/checks.js'
import type { Timers } from '../../actors/clock.js'
import { certificatesIn } from '../../http/wire/tls/material.js'
import { withEtcd } from '../cluster/etcd/etcd-connection.js'
import { parseVersion, versionWarning } from '../cluster/etcd/etcd-program.js'
import { probe, type Sender } from '../cluster/members/reachability.js'
import type { Settings } from '../settings/settings.js'
import { withSender } from './cluster-sender.js'
import { withShared } from './cluster-status.js'

const REQUEST_MS = 3000
/** A follower in step is a second of writes behind. */
const MAX_LAG = 10_000

const join = (faults: readonly string[]): string => faults.join('; ')

/** @param own faults on the way from this machine */
export const reachability = (members: readonly Member[], own: readonly string[]): Outcome => {
  const nameOf = (id: string): string => members.find(member => member.id === id)?.name ?? id
  const others = members.flatMap(({ name, unreachable = [] }) =>
    unreachable.map(id => `${name} does not reach ${nameOf(id)}`)
  )
  const faults = [...own, ...others]
  return faults.length === 0
    ? ok(`${members.length} servers reach each other`)
    : failed(join(faults), 'Open the HTTPS port between these machines, or correct cluster.advertise')
}

/** @param offsets of the clocks to that of this machine in ms, as certain as they are, by name */
export const clocks = (offsets: ReadonlyMap<string, number>, most: number): Outcome => {
  const wrong = [...offsets].filter(([, offset]) => Math.abs(offset) > most)
  return wrong.length === 0
    ? ok(`the clocks of ${offsets.size} servers agree within ${most + 1000} ms`)
    : failed(
        join(wrong.map(([name, offset]) => `the clock of ${name} differs by ${Math.round(offset / 1000)} s`)),
        'Synchronize these clocks by NTP: a server whose clock differs does not lead'
      )
}

/** @param head index of the newest commit */
export const lag = (members: readonly Member[], head: number, maxStale: number): Outcome => {
  const faults = members.flatMap(({ name, flushed, lastContact, canLead }) => [
    ...(head - flushed > MAX_LAG ? [`${name} lacks ${head - flushed} commits`] : []),
    ...(lastContact > maxStale ? [`${name} has not heard of the cluster for ${lastContact} ms`] : []),
    ...(canLead === false ? [`${name} cannot lead`] : [])
  ])
  return faults.length === 0
    ? ok(`${members.length} servers have the newest commits, and can lead`)
    : warning(join(faults), 'See the disk, the clock and the log of these servers')
}

/** @param now epoch ms */
export const certificates = (files: readonly string[], now: number): Outcome => {
  if (files.length === 0) return ok('the configuration names no certificates')
  const ends = files.flatMap(file =>
    certificatesIn(readFileSync(file, 'utf8')).map(({ validTo }) => ({ file, end: Date.parse(validTo) }))
  )
  const [first] = ends.toSorted((a, b) => a.end - b.end)
  if (!first) return failed('the files have no certificates', 'Restore them from a backup')
  const text = `${first.file} is valid until ${new Date(first.end).toISOString()}`
  const fix = 'Replace this certificate. A server with a managed etcd renews its own: see its log'
  if (first.end < now) return failed(text, fix)
  return first.end - now < EXPIRES_SOON_MS ? warning(text, fix) : ok(text)
}

/** @param quota in bytes */
export const etcdHealth = (members: readonly ObservedMember[], quota: number): Outcome => {
  const name = ({ member }: ObservedMember): string => member.name ?? member.ID
  const silent = members.filter(({ status }) => !status)
  const alarms = members.flatMap(one => one.alarms.map(alarm => `${name(one)} has the alarm ${alarm}`))
  if (alarms.length > 0)
    return failed(join(alarms), 'Make room, then run annals cluster defragment: docs/reference/cluster.md')
  if (silent.length > 0)
    return failed(
      join(silent.map(one => `${name(one)} does not answer: ${one.fault}`)),
      'Start these members, or remove them with annals cluster leave --name'
    )
  const full = members.filter(({ status }) => Number(status?.dbSize ?? 0) > quota / 2)
  if (full.length > 0)
    return warning(
      `${full.map(name).join(', ')} use more than half of cluster.etcd.quota`,
      'Run annals cluster defragment, or raise the quota'
    )
  return members.length % 2 === 1
    ? ok(`${members.length} members of etcd answer`)
    : warning(
        `${members.length} members of etcd tolerate as few losses as ${members.length - 1}`,
        'Add a member'
      )
}

/** Returns the advice for versions with known defects, and for different ones. */
export const versions = (servers: readonly Member[], etcd: readonly ObservedMember[]): Outcome => {
  const advice = etcd.flatMap(({ status }) => {
    const version = parseVersion(status?.version ?? '')
    return (version && versionWarning(version)) ?? []
  })
  const [first] = advice
  if (first !== undefined) return warning(first, 'Upgrade etcd on one machine after another')
  const own = new Set(servers.map(({ version }) => version))
  const others = new Set(etcd.flatMap(({ status }) => status?.version ?? []))
  return own.size > 1 || others.size > 1
    ? warning(
        `servers have ${[...own].join(', ')}, etcd ${[...others].join(', ')}`,
        'Upgrade to one version each'
      )
    : ok(`all servers have ${[...own].join()}, all members of etcd ${[...others].join()}`)
}

/** Returns the difference of a server's clock that is certain, in ms: the header has whole seconds. */
const offsetOf = async (sender: Sender, { address }: Member, timers: Timers): Promise<number | undefined> => {
  const before = Date.now()
  const outgoing = { method: 'GET', url: '/healthz', isLong: false }
  const attempt = await sender.send(address, outgoing, timers.abortAfter(REQUEST_MS))
  if (attempt.kind !== 'answered') return undefined
  attempt.answer.resume()
  const at = Date.parse(attempt.answer.headers.date ?? '')
  if (Number.isNaN(at)) return undefined
  const after = Date.now()
  if (at + 1000 < before) return at + 1000 - before
  return at > after ? at - after : 0
}

const certificateFiles = ({ tls, cluster }: Settings): readonly string[] => [
  ...new Set(
    [tls.http, cluster.tls, cluster.etcd].flatMap(({ cert_file: cert, ca_file: ca }) =>
      [cert, ca].filter(file => file !== undefined)
    )
  )
]

const ofServers = async (
  settings: Settings,
  shared: SharedLog
): Promise<Readonly<Record<string, Outcome>>> => {
  const [{ live: members }, { head }] = await Promise.all([shared.members(), shared.read()])
  const { max_clock_skew: skew, max_stale: stale } = settings.cluster
  return withSender(settings, async (sender, timers) => {
    const others = members.filter(({ id }) => id !== settings.node_id)
    const faults = await Promise.all(others.map(member => probe(sender, member, timers)))
    const offsets = await Promise.all(members.map(member => offsetOf(sender, member, timers)))
    const own = others.flatMap(({ name, address }, at) =>
      faults[at] === undefined ? [] : [`this machine does not reach ${name} at ${address}: ${faults[at]}`]
    )
    const known = new Map(
      members.flatMap(({ name }, at) => {
        const offset = offsets[at]
        return offset === undefined ? [] : [[name, offset] as const]
      })
    )
    const etcd = await withEtcd(settings, admin => admin.observe())
    return {
      'All servers': reachability(members, own),
      'All clocks': clocks(known, skew),
      Lag: lag(members, head.index, stale),
      'All versions': versions(members, etcd),
      etcd: etcdHealth(etcd, settings.cluster.etcd.quota)
    }
  })
}

/** Checks a cluster with the configuration of one of its servers. @throws SettingsError UsageError */
export const clusterFindings = async (settings: Settings): Promise<readonly Finding[]> => {
  const servers = await withShared(settings, shared => ofServers(settings, shared)).catch(
    (error: unknown): Readonly<Record<string, Outcome>> => {
      if (!(error instanceof Error) || error.name !== 'SharedUnreachable') throw error
      return { etcd: failed(messageOf(error), 'Start most members of etcd: docs/how-to/recover.md') }
    }
  )
  const all = { ...servers, Certificates: certificates(certificateFiles(settings), Date.now()) }
  return Object.entries(all).map(([Check, outcome]) => ({ Check, ...outcome }))
}
