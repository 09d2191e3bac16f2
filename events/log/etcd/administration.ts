// Administration of etcd's members, and small values beside the log that several servers change.
import { SharedUnreachable } from '../cluster/shared-log.js'
import { EtcdClient, type EtcdAddress } from './client.js'
import {
  ALARM,
  DEFRAGMENT,
  MEMBER_ADD,
  MEMBER_LIST,
  MEMBER_PROMOTE,
  MEMBER_REMOVE,
  MEMBER_STATUS,
  type Alarm,
  type EtcdMember,
  type EtcdMemberStatus
} from './member-messages.js'
import { isAbsent, put, RANGE, remove, TXN, valueIs } from './messages.js'
import { KeyRange } from './keys.js'

/** Defragmentation rewrites the file of a member, which answers nothing meanwhile. In ms. */
const DEFRAGMENT_DEADLINE = 300_000
/** Changes of members need a majority, and a flush on each. In ms. */
const CHANGE_DEADLINE = 5000

const ALARMS: Readonly<Record<number, string>> = { 1: 'NOSPACE', 2: 'CORRUPT' }

export interface ObservedMember {
  readonly member: EtcdMember
  /** Absent if the member does not answer. */
  readonly status?: EtcdMemberStatus
  /** Why it does not answer. */
  readonly fault?: string
  readonly alarms: readonly string[]
}

export class EtcdAdministration {
  readonly #client: EtcdClient

  constructor(private readonly address: EtcdAddress) {
    this.#client = new EtcdClient(address)
  }

  /** Returns all members, learners included. @throws EtcdFailure */
  async members(): Promise<readonly EtcdMember[]> {
    const { members = [] } = await this.#client.ask(MEMBER_LIST, {})
    return members
  }

  /** Returns the members with the state of each that answers. @throws EtcdFailure */
  async observe(): Promise<readonly ObservedMember[]> {
    const [members, { alarms = [] }] = await Promise.all([
      this.members(),
      this.#client.ask(ALARM, { action: 0 })
    ])
    return Promise.all(members.map(member => this.#observed(member, alarms)))
  }

  /** Returns the state of listed members, also without a majority. */
  observeListed(members: readonly EtcdMember[]): Promise<readonly ObservedMember[]> {
    return Promise.all(members.map(member => this.#observed(member, [])))
  }

  /** Adds a member without a vote, which does not change the majority. @throws EtcdFailure */
  async addLearner(peerUrl: string): Promise<EtcdMember | undefined> {
    const request = { peerURLs: [peerUrl], isLearner: true }
    return (await this.#client.call(MEMBER_ADD, request, CHANGE_DEADLINE)).member
  }

  /** Gives a learner its vote. @throws EtcdFailure while the learner lags behind */
  async promote(id: string): Promise<void> {
    await this.#client.call(MEMBER_PROMOTE, { ID: id }, CHANGE_DEADLINE)
  }

  /** @throws EtcdFailure, also if the remaining members would have no majority */
  async remove(id: string): Promise<void> {
    await this.#client.call(MEMBER_REMOVE, { ID: id }, CHANGE_DEADLINE)
  }

  /** Returns the free space of a member's file to the file system. Other members answer meanwhile. @throws EtcdFailure */
  async defragment(member: EtcdMember): Promise<void> {
    await this.#asking(member, client => client.call(DEFRAGMENT, {}, DEFRAGMENT_DEADLINE))
  }

  /** Clears all space alarms. etcd raises them again if the space is still exceeded. @throws EtcdFailure */
  async disarm(): Promise<readonly Alarm[]> {
    const { alarms = [] } = await this.#client.ask(ALARM, { action: 0 })
    for (const { memberID, alarm } of alarms)
      await this.#client.call(ALARM, { action: 2, memberID, alarm }, CHANGE_DEADLINE)
    return alarms
  }

  /** @throws EtcdFailure */
  async read(key: string): Promise<Buffer | undefined> {
    const { kvs = [] } = await this.#client.ask(RANGE, { key: Buffer.from(key) })
    const [found] = kvs
    return found && Buffer.from(found.value ?? [])
  }

  /** Returns the values of all keys that begin with a text. @throws EtcdFailure */
  async list(prefix: string): Promise<ReadonlyMap<string, Buffer>> {
    const { key, rangeEnd } = new KeyRange(prefix)
    const { kvs = [] } = await this.#client.ask(RANGE, { key, rangeEnd })
    return new Map(kvs.map(one => [Buffer.from(one.key ?? []).toString(), Buffer.from(one.value ?? [])]))
  }

  /**
   * Writes a value if the current one is `before`, or absent if that is undefined. `after` undefined deletes the key.
   * @returns false if the current value is another one
   * @throws EtcdFailure: the outcome may be unknown
   */
  async replace(
    key: string,
    before: Uint8Array | undefined,
    after: Uint8Array | undefined
  ): Promise<boolean> {
    const name = Buffer.from(key)
    const compare = [before === undefined ? isAbsent(name) : valueIs(name, before)]
    const success = [after === undefined ? remove(name) : put(name, after)]
    const { succeeded = false } = await this.#client.call(TXN, { compare, success }, CHANGE_DEADLINE)
    return succeeded
  }

  close(): void {
    this.#client.close()
  }

  async #observed(member: EtcdMember, alarms: readonly Alarm[]): Promise<ObservedMember> {
    const own = alarms.flatMap(({ memberID, alarm }) =>
      memberID === member.ID ? [ALARMS[alarm] ?? 'unknown'] : []
    )
    if (!member.name) return { member, fault: 'it has not started yet', alarms: own }
    try {
      const status = await this.#asking(member, client => client.ask(MEMBER_STATUS, {}))
      return { member, status, alarms: own }
    } catch (error) {
      if (!(error instanceof SharedUnreachable)) throw error
      return { member, fault: error.message, alarms: own }
    }
  }

  async #asking<T>({ clientURLs = [] }: EtcdMember, ask: (client: EtcdClient) => Promise<T>): Promise<T> {
    const client = new EtcdClient({ ...this.address, endpoints: clientURLs })
    try {
      return await ask(client)
    } finally {
      client.close()
    }
  }
}
