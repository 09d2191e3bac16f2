// One simulation: three servers, clients and faults; then everything heals, and what is left is checked.
import { Client } from './client.js'
import { SimulatedWorkers } from './children.js'
import { Machine } from './machine.js'
import { Consumer } from './consumers.js'
import { SecondaryActions, secondaryScene, tokensKnown } from './datacenters.js'
import { Machines, useMachines } from './disk.js'
import { SimulatedEtcd, replaceGrpc } from './etcd.js'
import { Faults, faultsOf, type Fault } from './faults.js'
import { seeded } from '../support/random.js'
import type { Script } from './script.js'
import { ERASURE_END, notErased, type Orders } from './erasures.js'
import { replaceFiles } from './files.js'
import { History, HistoryError } from './history.js'
import { Group, Member } from './members.js'
import { Network } from './network.js'
import { checkLocks, SESSION_END } from './locks.js'
import { Receiver } from './receiver.js'
import type { Scene } from './requests.js'
import { checkRefusals, readReplica } from './replicas.js'
import { Restorer } from './restores.js'
import { SeenRoots } from './roots.js'
import { authorized, sitesOf, started, type Sites } from './sites.js'
import { Subscriber, type Follower } from './subscribers.js'
import { replaceThreads } from './threads.js'
import { tokenName } from './tokens.js'
import { Actions, Watcher } from './workload.js'
import { replaceSockets } from './sockets.js'
import { settled, MOST_WAITING, type World } from './world.js'

const WATCHERS = 2
const SUBSCRIBERS = 2
const CONSUMERS = 2
const RECEIVERS = 1
const MEMBERS = 2
const SECONDARY_CLIENTS = 2
/** Of how many seeds one has restores. */
const RESTORES = 3
/** For each operation. */
const LONGEST = 600
const CONVERGENCE = 60_000
/** A member acknowledges one change of a key a second. */
const DELIVERY = 240_000
const RETRY = 100

interface Outcome {
  /** Number of operations. */
  readonly operations: number
  readonly faults: readonly Fault[]
  /** The first violated invariant. */
  readonly error: Error | undefined
}

/** Plays at least as many operations as the script has. */
export const simulate = async (world: World, script: Script): Promise<Outcome> => {
  const network = new Network(world)
  replaceSockets(network)
  replaceThreads(world)
  const workers = SimulatedWorkers.replaceChildren(network)
  const folders = new Machines(world)
  useMachines(folders)
  replaceFiles(folders)
  const etcd = new SimulatedEtcd(network)
  replaceGrpc(etcd)
  const sites = sitesOf(
    script,
    (installation, commits) => new Machine(network, folders, commits, installation)
  )
  const { machines, secondary, replicas, refusals, all } = sites
  const history = new History()
  const isOpen = (): boolean => history.operations.length < script.operations
  const scene = {
    world,
    machines,
    commits: sites.archive,
    history,
    roots: new SeenRoots(),
    orders: new Map(),
    secrets: new Map(),
    haveRestores: script.seed % RESTORES === 0,
    isOpen
  }
  const remote = secondaryScene(scene, secondary)
  const faults = new Faults({ world, network, etcd, workers, machines: all })
  let error: Error | undefined
  try {
    // A replica begins as its source does.
    await started(world, remote.machines, '?consistent')
    await started(world, replicas, '')
    const operator = scene.haveRestores ? new Restorer(scene, new Client(world, 'operator')) : undefined
    const followers = followersOf(scene)
    let isOver = false
    const following = Promise.all(
      followers.map(each => world.as(each.client.process, () => each.run(() => isOver)))
    )
    // It is over early if a follower fails.
    await Promise.race([play(scene, remote, sites, faults, script, operator), following])
    network.heal()
    // Servers refuse those whose clocks differ by minutes.
    for (const { process } of all) process.wallOffset = 0
    await converge(world, sites)
    await checkSecondary(remote, secondary)
    await check(scene, sites, followers)
    checkRefusals(refusals)
    workers.check()
    operator?.check(sites.archive)
    isOver = true
    await settled(world, following)
  } catch (failure) {
    error = failure instanceof Error ? failure : new Error(String(failure))
  }
  world.note(`the disks hold ${folders.digest()}`)
  return { operations: history.operations.length, faults: faults.played, error }
}

const clientsOf = (world: World, name: string, count: number): readonly Client[] =>
  Array.from({ length: count }, (_, number) => new Client(world, `${name}-${number + 1}`))

const followersOf = (scene: Scene): readonly Follower[] => {
  const { world, haveRestores } = scene
  const group = new Group(haveRestores)
  return [
    ...clientsOf(world, 'subscriber', SUBSCRIBERS).map(client => new Subscriber(scene, client)),
    ...clientsOf(world, 'consumer', CONSUMERS).map(client => new Consumer(scene, client)),
    ...clientsOf(world, 'receiver', RECEIVERS).map(client => new Receiver(scene, client)),
    ...clientsOf(world, 'member', MEMBERS).map(client => new Member(scene, group, client))
  ]
}

/** Runs the clients under faults until the scene closes. */
const play = async (
  scene: Scene,
  remote: Scene,
  { all, replicas, haveWorkers }: Sites,
  faults: Faults,
  script: Script,
  operator: Restorer | undefined
): Promise<void> => {
  const { world, isOpen } = scene
  const chosen = script.faults ?? faultsOf(seeded(script.seed), all.length, haveWorkers)
  const running = [
    ...clientsOf(world, 'client', script.clients).map(client =>
      world.as(client.process, () => new Actions(scene, client).run())
    ),
    ...clientsOf(world, 'secondary-client', SECONDARY_CLIENTS).map(client =>
      world.as(client.process, () => new SecondaryActions(remote, client).run())
    ),
    ...clientsOf(world, 'watcher', WATCHERS).map(client =>
      world.as(client.process, () => new Watcher(scene, client).run())
    ),
    ...replicas.map(replica => {
      const client = new Client(world, 'reader')
      return world.as(client.process, () => readReplica(scene, replica, client))
    }),
    ...(operator ? [world.as(operator.client.process, () => operator.run())] : []),
    world.as(world.process('faults'), () => faults.run(chosen, () => !isOpen()))
  ]
  await settled(world, Promise.all(running), MOST_WAITING + script.operations * LONGEST)
}

/** Checks all that clients saw against the logs. @throws HistoryError for the first violated invariant */
const check = async (
  { world, machines, commits, history, roots, orders }: Scene,
  sites: Sites,
  followers: readonly Follower[]
): Promise<void> => {
  const [machine] = machines
  if (!machine) return
  await settled(world, machine.archive())
  history.check(commits.changes)
  await sessionsEnded(world, machines)
  const copies = [...machines, ...sites.replicas]
  await allErased(world, copies, orders)
  await converge(world, sites)
  await settled(world, machine.archive())
  checkLocks(commits, history)
  for (const each of copies)
    await settled(
      world,
      roots.check(size => each.rootAt(size), each.process.name)
    )
  const end = world.now + DELIVERY
  while (!followers.every(each => each.isComplete(commits.events)) && world.now < end)
    await settled(world, world.pause(RETRY))
  const late = followers.find(each => !each.isComplete(commits.events))
  if (late) throw new HistoryError(`${late.client.process.name} has not received everything`)
  await settled(world, machine.archive())
  for (const each of followers) each.check(commits.events)
}

/** Checks what clients of the secondary datacenter saw against its log. @throws HistoryError */
const checkSecondary = async (remote: Scene, secondary: Machine): Promise<void> => {
  const { world, history, machines } = remote
  await settled(world, authorized(world, [secondary], '?consistent'))
  await settled(world, secondary.archive())
  history.check(secondary.commits.changes)
  const client = new Client(world, 'client-0')
  const known = new Map<string, boolean>()
  await settled(world, machines[0]?.archive() ?? Promise.reject())
  for (const { key, value } of machines[0]?.commits.changes ?? []) known.set(key, value !== undefined)
  const exists = (accessor: string): boolean => known.get(tokenName(accessor)) ?? false
  await settled(
    world,
    world.as(client.process, () => tokensKnown(remote, client, secondary.port, exists))
  )
}

/** Waits until no session is left, since no client renews one. @throws HistoryError */
const sessionsEnded = async (world: World, machines: readonly Machine[]): Promise<void> => {
  const client = new Client(world, 'client-0')
  const end = world.now + SESSION_END
  for (;;) {
    const ask = (port: number) => client.send(port, { method: 'GET', path: '/v1/session/list' })
    const replies = await settled(
      world,
      world.as(client.process, () => Promise.all(machines.map(({ port }) => ask(port))))
    )
    const left = replies.filter(reply => reply.kind !== 'answered' || reply.text !== '[]')
    if (left.length === 0) return
    if (world.now > end) throw new HistoryError(`sessions do not end: ${JSON.stringify(left)}`)
    await settled(world, world.pause(1000))
  }
}

/** Waits until no server has what was ordered to be erased. @throws HistoryError */
const allErased = async (world: World, machines: readonly Machine[], orders: Orders): Promise<void> => {
  for (const machine of machines)
    for (let end = world.now + ERASURE_END; ;) {
      const left = notErased(orders, await settled(world, machine.entries()))
      if (machine.running && !left) break
      if (world.now > end && machine.replaceDecayed()) end = world.now + ERASURE_END
      else if (world.now > end)
        throw new HistoryError(
          `${machine.process.name} has not erased ${left?.Key ?? 'anything'} of commit ${left?.Index ?? 0}`
        )
      await settled(world, world.pause(1000))
    }
}

/** @returns true if a server whose disk was replaced was given the log of another one */
const copyToReplaced = (machines: readonly Machine[]): boolean => {
  const replaced = machines.find(({ isReplaced }) => isReplaced)
  const other = machines.find(({ isReplaced, running }) => !isReplaced && running)
  if (!replaced || !other) return false
  replaced.copyLog(other)
  return true
}

/** True if logs end with the same commit, and differ only in what was pruned. */
const areEqual = (logs: readonly ReadonlyMap<number, string>[]): boolean => {
  const known = new Map(logs.flatMap(hashes => [...hashes]))
  const newest = Math.max(0, ...known.keys())
  return logs.every(
    hashes => hashes.has(newest) && [...hashes].every(([index, hash]) => known.get(index) === hash)
  )
}

/** Waits until all servers and replicas have the same log. @throws HistoryError */
const converge = async (world: World, { machines, replicas }: Sites): Promise<void> => {
  let end = world.now + CONVERGENCE
  for (;;) {
    await settled(world, world.pause(1000))
    const all = await settled(world, Promise.all([...machines, ...replicas].map(each => each.hashes())))
    if (areEqual(all)) {
      world.note(`the logs begin at ${all.map(hashes => [...hashes.keys()][0]).join(', ')}`)
      return
    }
    if (world.now > end && copyToReplaced(machines)) end = world.now + CONVERGENCE
    else if (world.now > end) {
      const ends = all.map(hashes => [...hashes.keys()].at(-1) ?? 0)
      throw new HistoryError(
        `the logs differ after ${CONVERGENCE} ms without faults: they end at ${ends.join(', ')}`
      )
    }
  }
}
