// Runs a log on a simulated disk with power failures at any moment, and compares the reopened log with
// the outcomes of the appends.
import { isDeepStrictEqual } from 'node:util'
import type { Commit } from '../../events/envelope.js'
import { LogFailure } from '../../events/log/log.js'
import { SegmentEventLog } from '../../events/log/segments/segment-event-log.js'
import { commitOf } from '../events/commits.js'
import type { Random } from './random.js'
import { diskError, SimulatedDisk, type DiskCall, type Fault } from './simulated-disk.js'

/** The minimum size of a segment, so that many are filled. */
const SEGMENT = 1024 * 1024
/** One call in so many captures a state, during the run and while the log is opened on a captured state. */
const TAKEN = 12
const TAKEN_IN_RECOVERY = 6

/** The outcomes when a state was captured. */
interface Outcomes {
  /** The acknowledged requests, by the index of their commits less 1. */
  readonly acknowledged: readonly string[]
  /** The requests that were refused without effect. */
  readonly refused: ReadonlySet<string>
}

interface State {
  readonly disk: SimulatedDisk
  readonly outcomes: Outcomes
  readonly moment: string
}

interface PowerLossOptions {
  readonly random: Random
  /** Minimum number of states to check. */
  readonly states: number
  /** Size of atomic device writes, in bytes. */
  readonly block: number
}

/**
 * Appends, fails, kills and closes at random, half of the time while sealed segments are packed, and captures the disk as a power failure may
 * leave it at random calls. Opens the log on each captured state, and on states captured during that.
 * @returns the number of checked states
 * @throws Error naming the state in which an acknowledged commit was missing, a refused one present, or a commit incomplete
 */
export async function playPowerLoss(options: PowerLossOptions): Promise<number> {
  let looked = 0
  while (looked < options.states) looked += await new Play(options).run()
  return looked
}

class Play {
  readonly #random: Random
  readonly #block: number
  readonly #compress: boolean
  #acknowledged: string[] = []
  #refused = new Set<string>()
  #states: State[] = []
  /** Bytes of padding by request. */
  readonly #sizes = new Map<string, number>()
  #looked = 0
  #disk: SimulatedDisk
  /** Number of calls until one fails. */
  #failIn = Infinity

  constructor({ random, block }: PowerLossOptions) {
    this.#random = random
    this.#block = block
    this.#compress = random.below(2) === 0
    this.#disk = this.#hooked(new SimulatedDisk())
  }

  /** Runs several processes on one folder. @returns the number of checked states */
  async run(): Promise<number> {
    let log = await this.#open(this.#disk)
    const steps = 6 + this.#random.below(12)
    for (let step = 0; step < steps; step++) {
      await this.#append(log)
      await this.#look()
      if (this.#random.below(4) > 0) continue
      if (this.#random.below(2) === 0) await log.close()
      else {
        const killed = this.#hooked(this.#disk.killed())
        // The remainders of the former process must not reach the new disk.
        await log.close().catch(() => {})
        this.#disk = killed
      }
      log = await this.#open(this.#disk)
    }
    await log.close()
    await this.#look()
    return this.#looked
  }

  #open(disk: SimulatedDisk): Promise<SegmentEventLog> {
    return SegmentEventLog.open({
      path: disk.path,
      disk,
      segmentBytes: SEGMENT,
      sectorBytes: this.#block,
      compress: this.#compress
    })
  }

  /** Appends several commits concurrently, with a possible write failure. */
  async #append(log: SegmentEventLog): Promise<void> {
    if (this.#random.below(5) === 0) this.#failIn = 1 + this.#random.below(8)
    const count = 1 + this.#random.below(12)
    const base = log.durableIndex
    const asked = Array.from({ length: count }, async (_, i) => {
      const request = `request-${this.#sizes.size}`
      try {
        await log.append([this.#commit(base + 1 + i, request)])
        this.#acknowledged[base + i] = request
      } catch (error) {
        if (!(error instanceof LogFailure)) throw error
        if (error.outcome === 'unchanged') this.#refused.add(request)
        return false
      }
      return true
    })
    const kept = await Promise.all(asked)
    this.#failIn = Infinity
    if (kept.every(Boolean)) return
    await log.recover()
    // Requests with an unknown outcome are settled now: they are not in the log.
    if (log.durableIndex !== this.#acknowledged.length)
      throw new Error(
        `after a failure the log ends with ${log.durableIndex}, not ${this.#acknowledged.length}`
      )
  }

  /** Returns mostly small sizes, and occasionally a large part of a segment. */
  #commit(index: number, request: string): Commit {
    this.#sizes.set(request, this.#random.below(this.#random.below(10) === 0 ? 300_000 : 3000))
    return this.#made(index, request)
  }

  #made(index: number, request: string): Commit {
    return commitOf(index, {
      key: request,
      size: this.#sizes.get(request) ?? 0,
      secrets: { SecretID: request }
    })
  }

  #hooked(disk: SimulatedDisk): SimulatedDisk {
    disk.hooks.before = call => {
      this.#take(disk, TAKEN, `before ${call.kind} of ${call.name}`)
      return this.#fault(call)
    }
    disk.hooks.after = call => this.#take(disk, TAKEN, `after ${call.kind} of ${call.name}`)
    return disk
  }

  #fault(call: DiskCall): Fault | undefined {
    if (call.kind !== 'write' && call.kind !== 'flush' && call.kind !== 'allocate') return undefined
    if (--this.#failIn > 0) return undefined
    this.#failIn = Infinity
    const error = diskError(this.#random.below(2) === 0 ? 'EIO' : 'ENOSPC')
    return { error, reaches: this.#random.below(2) === 0 ? this.#random.below(1 + (call.length ?? 0)) : 0 }
  }

  #take(disk: SimulatedDisk, oneIn: number, moment: string): void {
    if (this.#random.below(oneIn) > 0) return
    const outcomes = { acknowledged: [...this.#acknowledged], refused: new Set(this.#refused) }
    this.#states.push({ disk: disk.powerLoss(this.#random, this.#block), outcomes, moment })
  }

  async #look(): Promise<void> {
    for (const state of this.#states.splice(0)) {
      const during: State[] = []
      state.disk.hooks.after = ({ kind, name }) => {
        if (this.#random.below(TAKEN_IN_RECOVERY) > 0) return
        const disk = state.disk.powerLoss(this.#random, this.#block)
        during.push({ ...state, disk, moment: `${state.moment}, then after ${kind} of ${name} in recovery` })
      }
      await this.#check(state)
      for (const next of during) await this.#check(next)
    }
  }

  async #check({ disk, outcomes: { acknowledged, refused }, moment }: State): Promise<void> {
    this.#looked++
    const fail = (what: string): Error => new Error(`power lost ${moment}: ${what}`)
    let log: SegmentEventLog
    try {
      log = await this.#open(disk)
    } catch (error) {
      throw new Error(`power lost ${moment}: the log does not open`, { cause: error })
    }
    // The outcome of the appends below is not recorded.
    delete disk.hooks.after
    const found: string[] = []
    for await (const commit of log.read(1)) {
      const key = commit.Events[0]?.Key ?? ''
      if (!isDeepStrictEqual(commit, this.#made(commit.Index, key)))
        throw fail(`commit ${commit.Index} is not what was appended`)
      found.push(key)
    }
    for (const [i, request] of acknowledged.entries())
      if (found[i] !== request)
        throw fail(`commit ${i + 1} was acknowledged as ${request} and is ${found[i] ?? 'missing'}`)
    for (const request of found.slice(acknowledged.length))
      if (refused.has(request)) throw fail(`${request} was refused as not changed and is there`)
    const next = found.length + 1
    await log.append([commitOf(next, { key: 'after' })])
    if (log.durableIndex !== next) throw fail('the log does not continue')
    await log.close()
  }
}
