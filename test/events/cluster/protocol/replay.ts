// Plays traces of the specification on an implementation of the shared log, and compares what both are after each step.
import { deepStrictEqual } from 'node:assert/strict'
import { SharedMismatch, type SharedLog, type Term } from '../../../../events/log/cluster/shared-log.js'
import type { RecordGroup } from '../../../../events/log/record-group.js'
import type { Head } from '../../../../events/log/store.js'
import {
  CLUSTER_SEED,
  EMPTY,
  collectArrivals,
  groupAfter,
  headOf,
  memberOf,
  serverOf
} from '../../etcd/support.js'
import type { Server } from '../../etcd/support.js'
import type { ProtocolState, Trace } from './quint.js'

interface Sent {
  readonly term: Term
  readonly before: Head
  readonly group: RecordGroup
}

/** Hashes of the commits that a server holds, in their order. */
type Disk = string[]

const hexOf = ({ hash }: Head): string => Buffer.from(hash).toString('hex')

/** One cluster. Its servers are those of the specification, above the shared log that is tested. */
class Replay {
  readonly #servers = new Map<string, Server>()
  readonly #disks = new Map<string, Disk>()
  readonly #heads = new Map<string, Head>()
  readonly #terms = new Map<number, Term>()
  readonly #sent = new Map<number, Sent>()

  /** @param network another access to the shared log, by which appends arrive whose answers are lost */
  constructor(
    private readonly open: () => SharedLog,
    private readonly network: SharedLog
  ) {}

  async begin(state: ProtocolState): Promise<void> {
    await this.network.createCluster(CLUSTER_SEED, EMPTY)
    for (const name of Object.keys(state.servers)) {
      this.#servers.set(name, await serverOf(this.open(), name))
      this.#disks.set(name, [])
      this.#heads.set(name, EMPTY)
    }
    await this.network.read()
  }

  async step(before: ProtocolState, state: ProtocolState): Promise<void> {
    const { s = '', m, count = 0 } = state.nondetPicks
    const server = this.#server(s)
    const pending = before.servers[s]?.pending[0]
    if (state.actionTaken === 'campaign') await this.#campaign(server, state.etcd.leader.epoch)
    else if (state.actionTaken === 'decide') this.#decide(s, state.servers[s]?.pending[0]?.write, before)
    else if (state.actionTaken === 'arrive' && m) await this.#arrive(m.write)
    else if (state.actionTaken === 'settle' && pending)
      await this.#settle(s, pending.write, state.clients.acknowledged.includes(pending.write))
    else if (state.actionTaken === 'follow') await this.#follow(s, before)
    else if (state.actionTaken === 'resign')
      await server.membership.resign(this.#term(before.etcd.leader.epoch))
    else if (state.actionTaken === 'expire') await this.#expire(before.etcd.leader.server)
    else if (state.actionTaken === 'compact')
      deepStrictEqual(await server.log.compact(this.#term(state.etcd.leader.epoch), count + 1), count + 1)
    await this.#compare(state)
  }

  async #campaign(server: Server, epoch: number): Promise<void> {
    const term = await server.membership.campaign(memberOf(server.id))
    if (!term) throw new Error(`${server.id} does not lead`)
    const earlier = this.#terms.get(epoch - 1)
    if (earlier && earlier.epoch >= term.epoch) throw new Error('the epoch of a later term is not larger')
    this.#terms.set(epoch, term)
  }

  #decide(s: string, write = 0, { servers }: ProtocolState): void {
    const before = this.#heads.get(s) ?? EMPTY
    deepStrictEqual(before.index, servers[s]?.disk)
    const group = groupAfter(before, 1, { marker: `write ${write}` })
    this.#sent.set(write, { term: this.#term(servers[s]?.epoch ?? 0), before, group })
  }

  /** What etcd answers is nothing that anybody hears. */
  async #arrive(write: number): Promise<void> {
    const { term, before, group } = this.#append(write)
    await this.network.append(term, before, group).catch((error: unknown) => {
      if (!(error instanceof SharedMismatch)) throw error
    })
  }

  async #settle(s: string, write: number, isStored: boolean): Promise<void> {
    const { term, before, group } = this.#append(write)
    const settlement = await this.#server(s).log.append(term, before, group)
    deepStrictEqual(settlement, isStored ? 'stored' : 'refuted')
    if (isStored) this.#store(s, headOf(group))
  }

  async #follow(s: string, { etcd, servers }: ProtocolState): Promise<void> {
    const index = (servers[s]?.disk ?? 0) + 1
    const arrivals = collectArrivals(this.#server(s).log, index, index)
    if (index > etcd.floor) {
      const [record] = await arrivals
      if (!record?.before.equals(this.#heads.get(s)?.hash ?? EMPTY.hash))
        throw new Error(`commit ${index} does not continue`)
      this.#store(s, { index, hash: record.hash })
    } else {
      const gone = await arrivals.then(
        () => '',
        (error: Error) => error.message
      )
      deepStrictEqual(gone, `gone below ${etcd.floor + 1}`)
      const hash = [...this.#disks.values()].find(disk => disk.length >= index)?.[index - 1] ?? ''
      this.#store(s, { index, hash: Buffer.from(hash, 'hex') })
    }
  }

  /** The lease ends. The server takes part again with another one. */
  async #expire(s: string): Promise<void> {
    const { log, membership } = this.#server(s)
    await membership.close()
    this.#servers.set(s, await serverOf(log, s))
  }

  async #compare({ etcd, servers }: ProtocolState): Promise<void> {
    const { head, leader, floor } = await this.network.read()
    const last = etcd.log.at(-1)
    deepStrictEqual(
      { index: head.index, hash: hexOf(head), leader: leader?.id ?? '', floor: floor - 1 },
      {
        index: etcd.log.length,
        hash: hexOf(last ? headOf(this.#append(last.write).group) : EMPTY),
        leader: etcd.leader.server,
        floor: etcd.floor
      }
    )
    const hashes = etcd.log.map(({ write }) => hexOf(headOf(this.#append(write).group)))
    for (const [name, disk] of this.#disks) deepStrictEqual(disk, hashes.slice(0, servers[name]?.disk), name)
  }

  #store(s: string, head: Head): void {
    this.#heads.set(s, head)
    this.#disks.get(s)?.push(hexOf(head))
  }

  #server(s: string): Server {
    const server = this.#servers.get(s) ?? this.#servers.get('s1')
    if (!server) throw new Error('there are no servers')
    return server
  }

  #term(epoch: number): Term {
    const term = this.#terms.get(epoch)
    if (!term) throw new Error(`no server led in ${epoch}`)
    return term
  }

  #append(write: number): Sent {
    const sent = this.#sent.get(write)
    if (!sent) throw new Error(`write ${write} was not decided`)
    return sent
  }
}

/** Plays a trace on a new cluster. @throws AssertionError after the first step with another outcome */
export async function replay(open: () => SharedLog, [first, ...steps]: Trace): Promise<void> {
  if (!first) throw new Error('the trace is empty')
  const cluster = new Replay(open, open())
  await cluster.begin(first)
  let before = first
  for (const [at, state] of steps.entries()) {
    await cluster.step(before, state).catch((cause: unknown) => {
      throw new Error(`step ${at + 1}, ${state.actionTaken}: ${String(cause)}`, { cause })
    })
    before = state
  }
}
