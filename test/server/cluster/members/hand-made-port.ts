// A cluster as its servers' requests see it, that does what a test says.
import { createSecretKey, type KeyObject } from 'node:crypto'
import type {
  ClusterPort,
  ClusterRole,
  LeaderAddress
} from '../../../../server/cluster/members/cluster-port.js'

export const SECRET = createSecretKey(Buffer.alloc(32, 7))

export class HandMadePort implements ClusterPort {
  readonly secret: KeyObject | undefined
  hold = 600_000
  contactMs = 0
  /** Whether the lease of the one that leads is valid. */
  isCertain = true
  /** How often the newest was asked for. */
  fences = 0
  /** What a fence waits for. */
  whenFenced: () => Promise<void> = async () => {}
  #role: ClusterRole
  #leader: LeaderAddress | undefined
  readonly #listeners = new Set<() => void>()
  readonly #listened: (() => void)[] = []

  constructor(
    role: ClusterRole,
    leader?: LeaderAddress,
    { secret }: Pick<ClusterPort, 'secret'> = { secret: SECRET }
  ) {
    this.#role = role
    this.#leader = leader
    this.secret = secret
  }

  /** Changes who leads, and tells those who listen. */
  change(role: ClusterRole, leader: LeaderAddress | undefined): void {
    this.#role = role
    this.#leader = leader
    for (const listener of this.#listeners) listener()
  }

  /** How many listen for a change. */
  get listeners(): number {
    return this.#listeners.size
  }

  /** Resolves, before any timer fires, when the next one listens for a change. */
  nextListener(): Promise<void> {
    return new Promise(resolve => this.#listened.push(resolve))
  }

  role(): ClusterRole {
    return this.#role
  }

  leader(): LeaderAddress | undefined {
    return this.#leader
  }

  mayAnswer(): boolean {
    return this.#role === 'leading' && this.isCertain
  }

  async fence(): Promise<void> {
    this.fences++
    await this.whenFenced()
  }

  isLeaderKnown(): boolean {
    return this.#leader !== undefined && this.lastContact() <= 10_000
  }

  lastContact(): number {
    return this.#role === 'leading' ? 0 : this.contactMs
  }

  member(): undefined {
    return undefined
  }

  onChange(listener: () => void): () => void {
    this.#listeners.add(listener)
    this.#listened.splice(0).forEach(resolve => resolve())
    return () => void this.#listeners.delete(listener)
  }
}
