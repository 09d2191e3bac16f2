// Faults that the seed chooses, each for some time.
import type { SimulatedWorkers } from './children.js'
import type { Failure, Machine } from './machine.js'
import type { DiskFault } from './disk.js'
import type { SimulatedEtcd } from './etcd.js'
import type { Network } from './network.js'
import type { SimulatedProcess, World } from './world.js'
import type { Random } from '../support/random.js'

/** In ms. */
const MOST_PAUSE = 1200
const MOST_DURATION = 8000
const LONGEST_JUMP = 120_000
const LONGEST_FREEZE = 15_000
const SLOW = 200
const UNANSWERED = 0.4

const KINDS = [
  'kill',
  'power-loss',
  'decay',
  'cut-from-etcd',
  'cut-one-way',
  'isolated',
  'slow',
  'no-etcd-leader',
  'unanswered',
  'slow-disk',
  'full-disk',
  'failing-disk',
  'frozen',
  'clock-jump'
] as const

/** Where servers have workers. */
const WORKER_KINDS = ['worker-killed', 'worker-frozen'] as const

/** A fault as it is chosen, before anything has happened: scripts contain them. */
export interface Fault {
  /** In ms after the clients have begun. */
  readonly at: number
  readonly kind: (typeof KINDS)[number] | (typeof WORKER_KINDS)[number]
  /** Number of the machine. */
  readonly machine: number
  /** Number of another machine or, above them, etcd. */
  readonly peer: number
  /** How long or how strong, from 0 to 1. */
  readonly share: number
}

/** Chooses faults, without an end. */
export function* faultsOf(random: Random, machines: number, haveWorkers: boolean): Generator<Fault> {
  const kinds = haveWorkers ? [...KINDS, ...WORKER_KINDS] : KINDS
  for (let at = 0; ;) {
    at += random.next() * MOST_PAUSE
    const kind = kinds[random.below(kinds.length)] ?? 'kill'
    // Never in every copy: always the same machine.
    const machine = kind === 'decay' ? 0 : random.below(machines)
    yield { at, kind, machine, peer: random.below(machines + 1), share: random.next() }
  }
}

/** What faults happen to. */
interface Targets {
  readonly world: World
  readonly network: Network
  readonly etcd: SimulatedEtcd
  readonly workers: SimulatedWorkers
  readonly machines: readonly Machine[]
}

export class Faults {
  /** Those that were injected. */
  readonly played: Fault[] = []

  constructor(private readonly targets: Targets) {}

  /** Injects faults until `isOver`. Resolves when all have ended. */
  async run(faults: Iterable<Fault>, isOver: () => boolean): Promise<void> {
    const { world } = this.targets
    const begun = world.now
    const running: Promise<void>[] = []
    for (const fault of faults) {
      await world.pause(begun + fault.at - world.now)
      if (isOver()) break
      this.played.push(fault)
      running.push(this.#play(fault))
    }
    await Promise.all(running)
  }

  async #play({ kind, machine: number, peer: peerNumber, share }: Fault): Promise<void> {
    const { world, etcd, network, workers, machines } = this.targets
    const machine = machines[number]
    if (!machine) throw new Error(`there is no machine ${number}`)
    const others = [...machines.map(({ process }) => process), etcd.host]
    const peer = others[peerNumber] ?? etcd.host
    const duration = share * share * MOST_DURATION
    world.note(`fault ${kind} ${machine.process.name}`)
    const kinds: Readonly<Record<Fault['kind'], () => Promise<void>>> = {
      kill: () => this.#restart(machine, duration, 'kill'),
      'power-loss': () => this.#restart(machine, duration, 'power-loss'),
      'cut-from-etcd': () =>
        this.#cut(duration, [
          [machine.process, etcd.host],
          [etcd.host, machine.process]
        ]),
      'cut-one-way': () => this.#cut(duration, [[machine.process, peer]]),
      isolated: () =>
        this.#cut(
          duration,
          others.flatMap(other => [
            [machine.process, other],
            [other, machine.process]
          ])
        ),
      slow: () =>
        this.#during(
          duration,
          () => (network.link(machine.process, peer).delay = SLOW),
          () => (network.link(machine.process, peer).delay = 0)
        ),
      'no-etcd-leader': () =>
        this.#during(
          duration,
          () => (etcd.faults.hasLeader = false),
          () => (etcd.faults.hasLeader = true)
        ),
      unanswered: () =>
        this.#during(
          duration,
          () => (etcd.faults.unanswered = UNANSWERED),
          () => (etcd.faults.unanswered = 0)
        ),
      decay: () => this.#restart(machine, duration, 'kill', each => each.decay()),
      'slow-disk': () => this.#disk(machine, duration, { delay: SLOW }),
      'full-disk': () => this.#disk(machine, duration, { delay: 0, code: 'ENOSPC' }),
      'failing-disk': () => this.#disk(machine, duration, { delay: 0, code: 'EIO' }),
      frozen: async () => void (machine.process.frozenUntil = world.now + share * LONGEST_FREEZE),
      'worker-killed': async () => workers.kill(machine.process),
      'worker-frozen': async () => workers.freeze(machine.process, world.now + share * LONGEST_FREEZE),
      'clock-jump': async () => void (machine.process.wallOffset += (share - 0.5) * 2 * LONGEST_JUMP)
    }
    await kinds[kind]()
  }

  #disk(machine: Machine, duration: number, fault: DiskFault): Promise<void> {
    return this.#during(
      duration,
      () => machine.setDisk(fault),
      () => machine.setDisk(undefined)
    )
  }

  async #restart(
    machine: Machine,
    duration: number,
    failure: Failure,
    then: (machine: Machine) => void = () => {}
  ): Promise<void> {
    if (machine.isStopped) return
    machine.fail(failure)
    then(machine)
    await this.targets.world.pause(duration)
    machine.start()
  }

  #cut(duration: number, links: readonly (readonly [SimulatedProcess, SimulatedProcess])[]): Promise<void> {
    const set = (isCut: boolean): void => {
      for (const [from, to] of links) this.targets.network.link(from, to).isCut = isCut
    }
    return this.#during(
      duration,
      () => set(true),
      () => set(false)
    )
  }

  async #during(duration: number, begin: () => void, end: () => void): Promise<void> {
    begin()
    await this.targets.world.pause(duration)
    end()
  }
}
