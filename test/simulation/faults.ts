// Faults that the seed chooses, one after the other, each for some time.
import type { Failure, Machine } from './cluster.js'
import type { DiskFault } from './disk.js'
import type { SimulatedEtcd } from './etcd.js'
import type { Network } from './network.js'
import type { SimulatedProcess, World } from './world.js'

/** In ms. */
const MOST_PAUSE = 300
const MOST_DURATION = 5000
const LONGEST_JUMP = 120_000
const LONGEST_FREEZE = 15_000
const SLOW = 200
const UNANSWERED = 0.4

export class Faults {
  /** How many of each kind. */
  readonly counts = new Map<string, number>()

  constructor(
    private readonly world: World,
    private readonly network: Network,
    private readonly etcd: SimulatedEtcd,
    private readonly machines: readonly Machine[]
  ) {}

  /** Injects faults until `isOver`. Each ends. */
  async run(isOver: () => boolean): Promise<void> {
    const { world } = this
    while (!isOver()) {
      await world.pause(world.random.next() * MOST_PAUSE)
      if (!isOver()) await this.#next()
    }
  }

  async #next(): Promise<void> {
    const { world, etcd, network } = this
    const machine = this.#machine()
    const others = [...this.machines.map(({ process }) => process), etcd.host]
    const peer = others[world.random.below(others.length)] ?? etcd.host
    const kinds: Readonly<Record<string, () => Promise<void>>> = {
      kill: () => this.#restart(machine, 'kill'),
      'power-loss': () => this.#restart(machine, 'power-loss'),
      'cut-from-etcd': () =>
        this.#cut([
          [machine.process, etcd.host],
          [etcd.host, machine.process]
        ]),
      'cut-one-way': () => this.#cut([[machine.process, peer]]),
      isolated: () =>
        this.#cut(
          others.flatMap(other => [
            [machine.process, other],
            [other, machine.process]
          ])
        ),
      slow: () =>
        this.#during(
          () => (network.link(machine.process, peer).delay = SLOW),
          () => (network.link(machine.process, peer).delay = 0)
        ),
      'no-etcd-leader': () =>
        this.#during(
          () => (etcd.faults.hasLeader = false),
          () => (etcd.faults.hasLeader = true)
        ),
      unanswered: () =>
        this.#during(
          () => (etcd.faults.unanswered = UNANSWERED),
          () => (etcd.faults.unanswered = 0)
        ),
      // Never in every copy: always the same machine.
      decay: () => this.#restart(this.machines[0] ?? machine, 'kill', each => each.decay()),
      'slow-disk': () => this.#disk(machine, { delay: SLOW }),
      'full-disk': () => this.#disk(machine, { delay: 0, code: 'ENOSPC' }),
      'failing-disk': () => this.#disk(machine, { delay: 0, code: 'EIO' }),
      frozen: async () =>
        void (machine.process.frozenUntil = world.now + world.random.next() * LONGEST_FREEZE),
      'clock-jump': async () =>
        void (machine.process.wallOffset += (world.random.next() - 0.5) * 2 * LONGEST_JUMP)
    }
    const names = Object.keys(kinds)
    const name = names[world.random.below(names.length)] ?? ''
    world.note(`fault ${name} ${machine.process.name}`)
    this.counts.set(name, (this.counts.get(name) ?? 0) + 1)
    await kinds[name]?.()
  }

  #machine(): Machine {
    const machine = this.machines[this.world.random.below(this.machines.length)]
    if (!machine) throw new Error('there are no machines')
    return machine
  }

  #disk(machine: Machine, fault: DiskFault): Promise<void> {
    return this.#during(
      () => machine.setDisk(fault),
      () => machine.setDisk(undefined)
    )
  }

  async #restart(
    machine: Machine,
    failure: Failure,
    then: (machine: Machine) => void = () => {}
  ): Promise<void> {
    if (machine.isStopped) return
    machine.fail(failure)
    then(machine)
    await this.world.pause(this.world.random.next() * MOST_DURATION)
    machine.start()
  }

  #cut(links: readonly (readonly [SimulatedProcess, SimulatedProcess])[]): Promise<void> {
    const set = (isCut: boolean): void => {
      for (const [from, to] of links) this.network.link(from, to).isCut = isCut
    }
    return this.#during(
      () => set(true),
      () => set(false)
    )
  }

  async #during(begin: () => void, end: () => void): Promise<void> {
    begin()
    await this.world.pause(this.world.random.next() * MOST_DURATION)
    end()
  }
}
