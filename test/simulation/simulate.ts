// One simulation: three servers, clients and faults; then everything heals, and what is left is checked.
import { Client } from './client.js'
import { Machine } from './cluster.js'
import { Machines, useMachines } from './disk.js'
import { SimulatedEtcd, replaceGrpc } from './etcd.js'
import { Faults } from './faults.js'
import { replaceFiles } from './files.js'
import { History, HistoryError } from './history.js'
import { Network, replaceSockets } from './network.js'
import { Actions } from './workload.js'
import type { World } from './world.js'

const SERVERS = 3
const CLIENTS = 4
/** Faults at the same time, at most. */
const FAULTS = 2
/** In ms of virtual time. */
const START = 60_000
/** For each operation. */
const LONGEST = 600
const CONVERGENCE = 60_000
const DISK_LATENCY = 0.3
const RETRY = 100
const OK = 200

interface Outcome {
  readonly counts: number
  readonly faults: ReadonlyMap<string, number>
  /** The first violated invariant. */
  readonly error: Error | undefined
}

/** Plays at least so many operations. */
export const simulate = async (world: World, operations: number): Promise<Outcome> => {
  const network = new Network(world)
  replaceSockets(network)
  const folders = new Machines(() => ({
    before: () => world.pause(world.random.next() * DISK_LATENCY).then(() => undefined)
  }))
  useMachines(folders)
  replaceFiles(folders)
  const etcd = new SimulatedEtcd(network)
  replaceGrpc(etcd)
  const machines = Array.from({ length: SERVERS }, (_, number) => new Machine(network, folders, number))
  const history = new History()
  const faults = new Faults(world, network, etcd, machines)
  let error: Error | undefined
  try {
    for (const machine of machines) machine.start()
    await world.run(() => machines.every(({ running }) => running !== undefined), START)
    await authorized(world, machines)
    await play({ world, network, machines, history, faults, operations })
    await converge(world, machines)
    const [machine] = machines
    if (machine) history.check(await settled(world, machine.changes()))
  } catch (failure) {
    error = failure instanceof Error ? failure : new Error(String(failure))
  }
  return { counts: history.operations.length, faults: faults.counts, error }
}

interface Play {
  readonly network: Network
  readonly world: World
  readonly machines: readonly Machine[]
  readonly history: History
  readonly faults: Faults
  readonly operations: number
}

const play = async ({ world, network, machines, history, faults, operations }: Play): Promise<void> => {
  const isOpen = (): boolean => history.operations.length < operations
  const clients = Array.from({ length: CLIENTS }, (_, number) => new Client(world, `client-${number + 1}`))
  const running = clients.map(client =>
    world.as(client.process, () => new Actions({ world, machines, history, isOpen }, client).run())
  )
  const failing = Array.from({ length: FAULTS }, () =>
    world.as(world.process('faults'), () => faults.run(() => !isOpen()))
  )
  await settled(world, Promise.all([...failing, ...running]), START + operations * LONGEST)
  network.heal()
}

/** Waits until the clients' token is known. */
const authorized = async (world: World, machines: readonly Machine[]): Promise<void> => {
  const client = new Client(world, 'client-0')
  const ask = async (port: number): Promise<void> => {
    for (;;) {
      const reply = await client.send(port, { method: 'GET', path: '/v1/acl/token/self?consistent' })
      if (reply.kind === 'answered' && reply.status === OK) return
      await world.pause(RETRY)
    }
  }
  await settled(
    world,
    world.as(client.process, () => Promise.all(machines.map(({ port }) => ask(port))))
  )
}

/** Waits until all servers have the same log. @throws HistoryError */
const converge = async (world: World, machines: readonly Machine[]): Promise<void> => {
  const end = world.now + CONVERGENCE
  for (;;) {
    await settled(world, world.pause(1000))
    const [first = [], ...others] = await settled(world, Promise.all(machines.map(each => each.hashes())))
    const isEqual = first.length > 0 && others.every(other => other.join() === first.join())
    if (isEqual) return
    if (world.now > end) {
      const lengths = [first, ...others].map(({ length }) => length)
      throw new HistoryError(
        `the logs differ after ${CONVERGENCE} ms without faults: ${lengths.join(', ')} commits`
      )
    }
  }
}

/** Runs the world until a promise settles. */
const settled = async <T>(world: World, promise: Promise<T>, most = START): Promise<T> => {
  let isOver = false
  const over = (): void => void (isOver = true)
  promise.then(over, over)
  await world.run(() => isOver, most)
  return promise
}
